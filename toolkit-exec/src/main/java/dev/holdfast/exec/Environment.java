package dev.holdfast.exec;

import dev.holdfast.exec.identity.CookieReader;
import dev.holdfast.exec.libc.Environ;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** What a child's environment is made of. What is inherited is copied as raw bytes. */
final class Environment {
  private static final String PATH = "PATH";

  /** Read once: the JVM never changes its environment. */
  private static final class Inherited {
    static final List<byte[]> ENTRIES = List.copyOf(Environ.inherited());
  }

  /** Unique per class loader, JVM and boot. */
  private static final String PREFIX =
      "h" + Long.toUnsignedString(new SecureRandom().nextLong(), Character.MAX_RADIX) + "-";

  private static final AtomicLong COUNT = new AtomicLong();

  private Environment() {}

  /** The id of one more child. */
  static String nextCookie() {
    return PREFIX + COUNT.incrementAndGet();
  }

  /** The ids that this JVM carries itself, with a slash at the end; empty when there are none. */
  static String inheritedChain() {
    String chain = value(Inherited.ENTRIES, CookieReader.VARIABLE);
    return chain == null || chain.isEmpty() ? "" : chain + "/";
  }

  /** The entries of a child's environment, but for the cookie. */
  static List<byte[]> entries(EnvChanges changes) {
    List<byte[]> entries = new ArrayList<>();
    if (changes.inherited()) {
      Set<String> gone = new HashSet<>(changes.unset());
      gone.addAll(changes.set().keySet());
      gone.add(CookieReader.VARIABLE);
      for (byte[] entry : Inherited.ENTRIES) {
        if (!gone.contains(key(entry))) {
          entries.add(entry);
        }
      }
    }
    changes
        .set()
        .forEach((key, value) -> entries.add((key + "=" + value).getBytes(StandardCharsets.UTF_8)));
    return entries;
  }

  /** The search path that a child gets; null when it gets none. */
  static byte @Nullable [] searchPath(List<byte[]> entries) {
    for (byte[] entry : entries) {
      if (key(entry).equals(PATH)) {
        byte[] value = new byte[entry.length - PATH.length() - 1];
        System.arraycopy(entry, PATH.length() + 1, value, 0, value.length);
        return value;
      }
    }
    return null;
  }

  private static @Nullable String value(List<byte[]> entries, String key) {
    for (byte[] entry : entries) {
      if (key(entry).equals(key)) {
        return new String(
            entry, key.length() + 1, entry.length - key.length() - 1, StandardCharsets.ISO_8859_1);
      }
    }
    return null;
  }

  private static String key(byte[] entry) {
    for (int i = 0; i < entry.length; i++) {
      if (entry[i] == '=') {
        return new String(entry, 0, i, StandardCharsets.UTF_8);
      }
    }
    return new String(entry, StandardCharsets.UTF_8);
  }
}
