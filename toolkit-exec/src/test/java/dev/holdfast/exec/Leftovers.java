package dev.holdfast.exec;

import dev.holdfast.exec.libc.Fds;
import dev.holdfast.exec.libc.NativeBlock;
import dev.holdfast.exec.libc.Waits;
import dev.holdfast.testkit.Census;
import dev.holdfast.testkit.Descriptor;
import dev.holdfast.testkit.ProcessEntry;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Gives back what an injected Error has made nobody's: descriptors and zombies. */
final class Leftovers {
  private static final Pattern OURS =
      Pattern.compile("pipe:.*|anon_inode:\\[pidfd\\]|/dev/(null|zero)|/proc");

  private final Set<Descriptor> descriptors = new HashSet<>(Census.descriptors());
  private final Set<Long> zombies = zombieIds();

  private Leftovers() {}

  static Leftovers since() {
    return new Leftovers();
  }

  /** To be called when nothing is under way. */
  void giveBack() {
    for (Descriptor descriptor : Census.descriptors()) {
      if (!descriptors.contains(descriptor) && OURS.matcher(descriptor.target()).matches()) {
        Fds.close(descriptor.number());
      }
    }
    NativeBlock block = NativeBlock.allocate(Waits.BLOCK_BYTES);
    for (long zombie : zombieIds()) {
      if (!zombies.contains(zombie)) {
        Waits.reap((int) zombie, block);
      }
    }
  }

  private static Set<Long> zombieIds() {
    return Census.zombies().stream().map(ProcessEntry::pid).collect(Collectors.toSet());
  }
}
