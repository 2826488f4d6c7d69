package dev.holdfast.exec.libc;

import jnr.ffi.Pointer;

/**
 * The C library calls that Holdfast makes, declared and nothing more; see the man page of each.
 *
 * <p>Pointers are addresses, 0 for NULL: both platforms of the floor are LP64, and a {@code long}
 * costs no object on paths that may not allocate. Whoever passes the address of a {@link
 * NativeBlock} keeps the block reachable until the call is over.
 *
 * <p>{@code fcntl}, {@code open}, {@code syscall} and {@code prctl} are variadic in C and declared
 * with fixed parameters here. That is sound for integers and pointers on both platforms: the x86-64
 * System V ABI passes them as it does named ones (its count of vector registers in {@code al} may
 * be anything while none is read), and so does AAPCS64 on Linux (only Apple's variant puts unnamed
 * arguments on the stack).
 *
 * <p>No method may have six parameters that are all primitive: JNR's compiled stub for x86-64
 * passes its own return address as the sixth (jnr-ffi issue 181). Objects make it take another way,
 * hence the pointers of {@code posix_spawn}, and {@code syscall} ends at four arguments.
 */
public interface Libc {
  int posix_spawn(
      Pointer pid, Pointer path, Pointer actions, Pointer attr, Pointer argv, Pointer envp);

  int posix_spawn_file_actions_init(long actions);

  int posix_spawn_file_actions_destroy(long actions);

  int posix_spawn_file_actions_adddup2(long actions, int from, int to);

  int posix_spawn_file_actions_addclose(long actions, int fd);

  int posix_spawn_file_actions_addclosefrom_np(long actions, int from);

  int posix_spawn_file_actions_addchdir_np(long actions, long path);

  int posix_spawn_file_actions_addtcsetpgrp_np(long actions, int tty);

  int posix_spawnattr_init(long attr);

  int posix_spawnattr_destroy(long attr);

  int posix_spawnattr_setflags(long attr, short flags);

  int posix_spawnattr_setpgroup(long attr, int pgroup);

  int posix_spawnattr_setsigdefault(long attr, long set);

  int posix_spawnattr_setsigmask(long attr, long set);

  int clone(long fn, long stack, int flags, long arg);

  int setpgid(int pid, int pgid);

  int getpgid(int pid);

  int gettid();

  int wait4(int pid, long status, int options, long rusage);

  int waitpid(int pid, long status, int options);

  int waitid(int idType, int id, long siginfo, int options);

  int kill(int pid, int signal);

  int epoll_create1(int flags);

  int epoll_ctl(int epoll, int op, int fd, long event);

  int epoll_wait(int epoll, long events, int max, int timeoutMillis);

  int eventfd(int value, int flags);

  long read(int fd, long buffer, long count);

  long write(int fd, long buffer, long count);

  int open(long path, int flags, int mode);

  int close(int fd);

  int pipe2(long pair, int flags);

  int fcntl(int fd, int command, long argument);

  int statx(int directory, long path, int flags, int mask, long statx);

  int faccessat(int directory, long path, int mode, int flags);

  long readlink(long path, long buffer, long size);

  long getdents64(int fd, long buffer, long size);

  long syscall(long number, long a, long b, long c, long d);

  int pthread_sigmask(int how, long set, long old);

  int sigaction(int signal, long action, long old);

  int sigtimedwait(long set, long siginfo, long timeout);

  long dlsym(long handle, String symbol);

  int prctl(int option, long a, long b, long c, long d);
}
