package dev.holdfast.exec.libc;

import java.util.ArrayList;
import java.util.List;
import jnr.ffi.Pointer;
import org.jspecify.annotations.Nullable;

/**
 * The native side of one {@code posix_spawn}: everything is laid out and allocated by the builder,
 * in one block that this object keeps reachable, so that {@link #run} is the native call and
 * nothing else.
 *
 * <p>The child starts with all signals at their default and an empty mask. Its file actions run in
 * the order dup2s, closefrom (around the wire), terminal, working directory.
 */
public final class SpawnCall implements AutoCloseable {
  private static final short SETPGROUP = 0x02;
  private static final short SETSIGDEF = 0x04;
  private static final short SETSIGMASK = 0x08;
  private static final short SETSID = 0x80;
  private static final int FIRST_CLOSED = 3;

  // glibc's posix_spawnattr_t is 336 bytes, its file actions 80, a sigset_t 128; room for more.
  private static final int ATTR_OFFSET = 0;
  private static final int ACTIONS_OFFSET = ATTR_OFFSET + 512;
  private static final int SET_OFFSET = ACTIONS_OFFSET + 256;
  private static final int SET_BYTES = 128;
  private static final int VECTORS_OFFSET = SET_OFFSET + SET_BYTES;

  private static final int PID_BYTES = 4;
  private static final int SPARE_BYTES = 16 << 10; // room for most environments
  private static final Spares<NativeBlock> SPARES = new Spares<>();

  private enum State {
    EMPTY,
    READY,
    CLOSED
  }

  private final NativeBlock pidCell = NativeBlock.allocate(PID_BYTES); // read after the close too
  private final NativeBlock block;
  private final Pointer pid;
  private final Pointer path;
  private final Pointer actions;
  private final Pointer attr;
  private final Pointer argv;
  private final Pointer envp;
  private State state = State.EMPTY;

  private SpawnCall(Builder builder) {
    var layout = new Layout(builder);
    block = layout.block;
    pid = pidCell.pointer(0);
    attr = block.pointer(ATTR_OFFSET);
    actions = block.pointer(ACTIONS_OFFSET);
    argv = block.pointer(VECTORS_OFFSET);
    envp = block.pointer(layout.envpOffset);
    path = block.pointer(layout.pathOffset);
  }

  /**
   * Starts to describe a call.
   *
   * @param path the program, absolute or relative to the child's working directory
   * @param argv the arguments, the program's name first
   * @param envp the environment as {@code NAME=value}
   * @return the builder
   */
  public static Builder builder(byte[] path, List<byte[]> argv, List<byte[]> envp) {
    return new Builder(path, argv, envp);
  }

  /**
   * Spawns. Makes the one native call; allocates nothing.
   *
   * @return 0, or the error number, positive
   */
  public int run() {
    try {
      return Native.libc().posix_spawn(pid, path, actions, attr, argv, envp);
    } finally {
      block.keep();
      pidCell.keep();
    }
  }

  /**
   * The cell that the call writes the pid into.
   *
   * @return the child's pid, 0 while nothing was spawned
   */
  public int pid() {
    return pidCell.getInt(0);
  }

  /**
   * Says which group the child joins; not for a call with a session of its own.
   *
   * @param pgid an existing group of this session, or 0 for a group of the child's own
   */
  public void setGroup(int pgid) {
    check(
        "posix_spawnattr_setpgroup", Native.libc().posix_spawnattr_setpgroup(attr.address(), pgid));
    block.keep();
  }

  /**
   * Frees what the C library allocated, and gives the memory away; the pid stays known. Idempotent;
   * never during {@link #run}, nor followed by it.
   */
  @Override
  public void close() {
    if (state != State.READY) {
      return;
    }
    state = State.CLOSED;
    Native.libc().posix_spawn_file_actions_destroy(actions.address());
    Native.libc().posix_spawnattr_destroy(attr.address());
    if (block.size() == SPARE_BYTES) {
      block.clear(0, SPARE_BYTES);
      SPARES.give(block);
    }
  }

  private void prepare(Builder builder) {
    var libc = Native.libc();
    check("posix_spawnattr_init", libc.posix_spawnattr_init(attr.address()));
    check("posix_spawn_file_actions_init", libc.posix_spawn_file_actions_init(actions.address()));
    state = State.READY;
    try {
      prepareAttributes(libc, builder);
      prepareActions(libc, builder);
    } catch (Throwable t) {
      close();
      throw t;
    }
  }

  private void prepareAttributes(Libc libc, Builder builder) {
    var set = block.address(SET_OFFSET);
    var leadership = builder.session ? SETSID : SETPGROUP;
    var flags = (short) (leadership | SETSIGDEF | SETSIGMASK);
    check("posix_spawnattr_setflags", libc.posix_spawnattr_setflags(attr.address(), flags));
    check("posix_spawnattr_setpgroup", libc.posix_spawnattr_setpgroup(attr.address(), 0));
    check("posix_spawnattr_setsigmask", libc.posix_spawnattr_setsigmask(attr.address(), set));
    // By hand: sigfillset(3) of glibc leaves out 32 and 33.
    for (var i = 0; i < SET_BYTES; i += 8) {
      block.putLong(SET_OFFSET + i, -1L);
    }
    check("posix_spawnattr_setsigdefault", libc.posix_spawnattr_setsigdefault(attr.address(), set));
  }

  private void prepareActions(Libc libc, Builder builder) {
    for (var dup : builder.dups) {
      dup(libc, dup.from(), dup.to());
    }
    if (builder.wire >= 0) {
      prepareWire(libc, builder);
    } else {
      closeFrom(libc, FIRST_CLOSED);
    }
    if (builder.terminal >= 0) {
      check(
          "posix_spawn_file_actions_addtcsetpgrp_np",
          libc.posix_spawn_file_actions_addtcsetpgrp_np(actions.address(), builder.terminal));
    }
    if (builder.directory != null) {
      var directory = NativeBlock.cString(builder.directory);
      check(
          "posix_spawn_file_actions_addchdir_np",
          libc.posix_spawn_file_actions_addchdir_np(actions.address(), directory.address()));
      directory.keep();
    }
  }

  /**
   * The one descriptor above the gap: parked below it, so that closefrom can close all the rest.
   */
  private void prepareWire(Libc libc, Builder builder) {
    var parked = FIRST_CLOSED;
    dup(libc, builder.wire, parked);
    closeFrom(libc, parked + 1);
    var rc = libc.posix_spawn_file_actions_adddup2(actions.address(), parked, builder.wireTarget);
    if (rc == Errno.EBADF) {
      return; // RLIMIT_NOFILE allows no such number; the wire stays where it is parked
    }
    check("posix_spawn_file_actions_adddup2", rc);
    check(
        "posix_spawn_file_actions_addclose",
        libc.posix_spawn_file_actions_addclose(actions.address(), parked));
  }

  private void dup(Libc libc, int from, int to) {
    check(
        "posix_spawn_file_actions_adddup2",
        libc.posix_spawn_file_actions_adddup2(actions.address(), from, to));
  }

  private void closeFrom(Libc libc, int first) {
    check(
        "posix_spawn_file_actions_addclosefrom_np",
        libc.posix_spawn_file_actions_addclosefrom_np(actions.address(), first));
  }

  private static void check(String call, int errno) {
    if (errno != 0) {
      throw new ErrnoException(call, errno);
    }
  }

  private record Dup(int from, int to) {}

  /** Describes a call. One thread. */
  public static final class Builder {
    private final byte[] path;
    private final List<byte[]> argv;
    private final List<byte[]> envp;
    private final List<Dup> dups = new ArrayList<>(4);
    private int wire = -1;
    private int wireTarget;
    private int terminal = -1;
    private boolean session;
    private byte @Nullable [] directory;

    private Builder(byte[] path, List<byte[]> argv, List<byte[]> envp) {
      this.path = path;
      this.argv = argv;
      this.envp = envp;
    }

    /**
     * Puts a descriptor of ours at a number in the child. The child closes all other numbers from
     * descriptor 3 on.
     *
     * @param from the descriptor here
     * @param to the number there
     * @return this
     */
    public Builder dup2(int from, int to) {
      dups.add(new Dup(from, to));
      return this;
    }

    /**
     * Leaves one more descriptor of ours open in the child, at a high number; everything between 3
     * and it is closed too. Where the limit of open files is below that number it stays at the
     * first closed one.
     *
     * @param fd the descriptor here
     * @param to the number there
     * @return this
     */
    public Builder wire(int fd, int to) {
      wire = fd;
      wireTarget = to;
      return this;
    }

    /**
     * Says where the child starts. Default: where the JVM is.
     *
     * @param path the directory
     * @return this
     */
    public Builder directory(byte[] path) {
      directory = path;
      return this;
    }

    /**
     * Gives the child a session, and so a group, of its own.
     *
     * @return this
     */
    public Builder session() {
      session = true;
      return this;
    }

    /**
     * Makes the child's group the foreground group of a terminal before it runs (glibc 2.35).
     *
     * @param fd the terminal, as a number in the child that closefrom leaves open
     * @return this
     */
    public Builder terminal(int fd) {
      terminal = fd;
      return this;
    }

    /**
     * Allocates everything.
     *
     * @return the call, to be closed
     * @throws ErrnoException if the C library refused a step
     */
    public SpawnCall build() {
      var call = new SpawnCall(this);
      call.prepare(this);
      return call;
    }
  }

  /** Lays out argv, envp and all strings behind the fixed part of one block. */
  private static final class Layout {
    private final NativeBlock block;
    private final long envpOffset;
    private final long pathOffset;

    Layout(Builder builder) {
      envpOffset = VECTORS_OFFSET + 8L * (builder.argv.size() + 1);
      pathOffset = envpOffset + 8L * (builder.envp.size() + 1);
      var stringsOffset = pathOffset + builder.path.length + 1;
      block = block(stringsOffset + bytes(builder.argv) + bytes(builder.envp));
      block.putBytes(pathOffset, builder.path, 0, builder.path.length);
      var end = vector(VECTORS_OFFSET, builder.argv, stringsOffset);
      vector(envpOffset, builder.envp, end);
    }

    private static NativeBlock block(long size) {
      if (size > SPARE_BYTES) {
        return NativeBlock.allocate(size);
      }
      var spare = SPARES.take();
      return spare == null ? NativeBlock.allocate(SPARE_BYTES) : spare;
    }

    private long vector(long offset, List<byte[]> strings, long at) {
      var cell = offset;
      for (var string : strings) {
        block.putLong(cell, block.address() + at);
        block.putBytes(at, string, 0, string.length);
        cell += 8;
        at += string.length + 1L;
      }
      return at;
    }

    private static long bytes(List<byte[]> strings) {
      var sum = 0L;
      for (var string : strings) {
        sum += string.length + 1L;
      }
      return sum;
    }
  }
}
