package dev.holdfast.exec;

import dev.holdfast.exec.libc.Errno;
import java.util.List;
import java.util.Map;

/** The error numbers with which the kernel or the C library may refuse a call of ours. */
final class Refusals {
  private static final Map<String, List<Integer>> OF =
      Map.ofEntries(
          Map.entry("faccessat", List.of(Errno.EACCES, Errno.ENOMEM)),
          Map.entry("statx", List.of(Errno.EACCES, Errno.ENOMEM)),
          Map.entry("pipe2", List.of(Errno.EMFILE, Errno.ENFILE)),
          Map.entry("open", List.of(Errno.EMFILE, Errno.ENFILE, Errno.ENOMEM)),
          Map.entry("fcntl", List.of(Errno.EMFILE, Errno.EPERM, Errno.ENOMEM)),
          Map.entry("epoll_ctl", List.of(Errno.ENOMEM, Errno.ENOSPC)),
          Map.entry("epoll_wait", List.of(Errno.EINTR)),
          Map.entry("clone", List.of(Errno.EAGAIN, Errno.ENOMEM, Errno.EPERM, Errno.ENOSYS)),
          Map.entry("setpgid", List.of(Errno.EPERM, Errno.EACCES)),
          Map.entry("syscall", List.of(Errno.EMFILE, Errno.ENOMEM, Errno.EPERM)),
          Map.entry("getpgid", List.of(Errno.ESRCH)),
          Map.entry("kill", List.of(Errno.EPERM)),
          Map.entry("pthread_sigmask", List.of(Errno.EINVAL)),
          Map.entry(
              "posix_spawn",
              List.of(Errno.EAGAIN, Errno.ENOMEM, Errno.EMFILE, Errno.EPERM, Errno.E2BIG)),
          Map.entry("read", List.of(Errno.EINTR)),
          Map.entry("write", List.of(Errno.EINTR)),
          Map.entry("waitid", List.of(Errno.EINTR)),
          Map.entry("waitpid", List.of(Errno.EINTR)),
          Map.entry("wait4", List.of(Errno.EINTR)),
          Map.entry("getdents64", List.of(Errno.ENOENT)),
          Map.entry("readlink", List.of(Errno.EACCES)),
          Map.entry("close", List.of(Errno.EINTR, Errno.EIO)));

  private Refusals() {}

  static List<Integer> of(String method) {
    return OF.getOrDefault(method, List.of(Errno.ENOMEM));
  }
}
