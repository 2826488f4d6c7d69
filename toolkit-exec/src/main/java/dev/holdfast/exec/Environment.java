package dev.holdfast.exec;

import dev.holdfast.exec.identity.CookieReader;
import dev.holdfast.exec.libc.Environ;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** What a child's environment is made of. What is inherited is copied as raw bytes. */
final class Environment {
  private static final byte[] PATH = prefix("PATH");

  /** Read once: the JVM never changes its environment. */
  private static final class Inherited {
    static final List<byte[]> ALL = List.copyOf(Environ.inherited());
    static final String CHAIN = chain(value(ALL, prefix(CookieReader.VARIABLE)));

    /** What a child gets whose command changes nothing. */
    static final List<byte[]> ENTRIES = List.copyOf(without(Set.of()));
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
    return Inherited.CHAIN;
  }

  /** The entries of a child's environment, but for the cookie. */
  static List<byte[]> entries(EnvChanges changes) {
    if (changes.isNone()) {
      return Inherited.ENTRIES;
    }
    Set<String> gone = new HashSet<>(changes.unset());
    gone.addAll(changes.set().keySet());
    List<byte[]> entries = changes.inherited() ? without(gone) : new ArrayList<>();
    changes
        .set()
        .forEach((key, value) -> entries.add((key + "=" + value).getBytes(StandardCharsets.UTF_8)));
    return entries;
  }

  /** The search path that a child gets; null when it gets none. */
  static byte @Nullable [] searchPath(List<byte[]> entries) {
    return value(entries, PATH);
  }

  private static String chain(byte @Nullable [] ids) {
    return ids == null || ids.length == 0 ? "" : new String(ids, StandardCharsets.ISO_8859_1) + "/";
  }

  private static List<byte[]> without(Set<String> gone) {
    List<byte[]> entries = new ArrayList<>();
    for (byte[] entry : Inherited.ALL) {
      String key = key(entry);
      if (!gone.contains(key) && !key.equals(CookieReader.VARIABLE)) {
        entries.add(entry);
      }
    }
    return entries;
  }

  private static byte @Nullable [] value(List<byte[]> entries, byte[] prefix) {
    for (byte[] entry : entries) {
      if (entry.length >= prefix.length
          && Arrays.equals(entry, 0, prefix.length, prefix, 0, prefix.length)) {
        return Arrays.copyOfRange(entry, prefix.length, entry.length);
      }
    }
    return null;
  }

  private static byte[] prefix(String key) {
    return (key + "=").getBytes(StandardCharsets.US_ASCII);
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
