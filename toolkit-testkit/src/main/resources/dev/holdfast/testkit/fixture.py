# The fixture child: interprets a little command language from its arguments, so that a test can say in
# one line what a child and its descendants shall do. Usage: fixture.py MARKER COMMAND...
# Descendants are forks of this process: each keeps MARKER in its command line. The commands are listed
# in the javadoc of dev.holdfast.testkit.Fixture. Only cheap modules are imported, as start-up time counts.
import os
import sys
import time
import _signal as signal

MARK = sys.argv[1]
FOREVER = 600.0  # a left-over of a failed test ends by itself
sync_ends = []  # write ends of the pipes on which starters of this process wait for its "up"
kept = []  # what must stay open


def out(fd, data):
    while data:
        try:
            data = data[os.write(fd, data):]
        except OSError:
            return


def number(name):
    return int(name) if name.isdigit() else getattr(signal, "SIG" + name)


def block(words):
    """Takes "[ ... ]" off the front of words and returns what stands between."""
    if not words or words.pop(0) != "[":
        raise ValueError("a block in brackets is missing")
    inner, depth = [], 1
    while words:
        word = words.pop(0)
        depth += (word == "[") - (word == "]")
        if depth == 0:
            return inner
        inner.append(word)
    raise ValueError("a closing bracket is missing")


def up():
    for fd in sync_ends:
        os.close(fd)
    sync_ends.clear()


def born(words):
    """Runs words in a fork that has just been made, and ends it."""
    code = 70
    try:
        run(words)
        code = 0
    except BaseException as e:
        out(2, ("fixture: %r\n" % e).encode())
    finally:
        os._exit(code)


def fork(words, waits, detached=False):
    """Starts a process that runs words; waits: until it says "up"; detached: it is a grandchild, not ours."""
    read_end, write_end = os.pipe() if waits else (-1, -1)
    pid = os.fork()
    if pid == 0:
        up()
        if detached and os.fork():
            os._exit(0)
        if waits:
            os.close(read_end)
            sync_ends.append(write_end)
        born(words)
    if detached:
        os.waitpid(pid, 0)
    if waits:
        os.close(write_end)
        os.read(read_end, 1)
        os.close(read_end)


def set_session():
    if os.getpid() == os.getpgrp():  # a group's leader may not: go on in a child, and end as it ends
        pid = os.fork()
        if pid:
            up()
            status = os.waitpid(pid, 0)[1]
            os._exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))
    os.setsid()


def execute(argv):
    os.execvpe(argv[0], argv, dict(os.environ, HOLDFAST_MARK=MARK))


def spawn_program(argv):
    pid = os.fork()
    if pid == 0:
        try:
            execute(argv)
        finally:
            os._exit(127)
    return pid


def listen(port):
    import _socket
    s = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
    s.setsockopt(_socket.SOL_SOCKET, _socket.SO_REUSEADDR, 1)
    s.bind(("127.0.0.1", port))
    s.listen(8)
    kept.append(s)
    out(1, b"listening %d\n" % s.getsockname()[1])


def release():
    null = os.open("/dev/null", os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    os.close(null)


def write(fd, count):
    chunk = b"x" * 65536
    while count > 0:
        out(fd, chunk[:count])
        count -= len(chunk)


def log_signals(path, names):
    log = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)

    def note(received, frame):
        name = next(n for n in names if number(n) == received)
        out(log, b"%s %d\n" % (name.encode(), time.monotonic_ns() // 1000000))

    for name in names:
        signal.signal(number(name), note)


def append(path, text):
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    out(fd, os.fsencode(text))
    os.close(fd)


def read_all(echo):
    total = 0
    while True:
        data = os.read(0, 65536)
        if not data:
            return total
        total += len(data)
        if echo:
            out(1, data)


def read_line():
    line = b""
    while not line.endswith(b"\n"):
        byte = os.read(0, 1)
        if not byte:
            break
        line += byte
    out(1, b"line " + line.rstrip(b"\n") + b"\n")


def end_leader(seconds, code):
    import ctypes
    import _thread

    def outlive():
        time.sleep(seconds)
        os._exit(code)

    _thread.start_new_thread(outlive, ())
    ctypes.CDLL(None).pthread_exit(None)


def environment():
    """What this process was started with; os.environ would show the locale that Python adds."""
    with open("/proc/self/environ", "rb") as f:
        return f.read().split(b"\0")[:-1]


def show(what, rest):
    lines = []
    if what == "args":
        lines = [os.fsencode(word) for word in rest]
        rest.clear()
    elif what == "env":
        lines = environment()
    elif what == "cwd":
        lines = [os.getcwdb()]
    elif what == "ids":
        lines = [b"pid %d ppid %d pgid %d sid %d" % (os.getpid(), os.getppid(), os.getpgrp(), os.getsid(0))]
    elif what == "fds":
        for fd in sorted(int(name) for name in os.listdir("/proc/self/fd")):
            try:
                lines.append(b"%d %s" % (fd, os.readlink("/proc/self/fd/%d" % fd).encode()))
            except OSError:
                pass  # the one that listed
    else:
        raise ValueError("cannot show " + what)
    out(1, b"".join(line + b"\n" for line in lines))


def run(words):
    words = list(words)
    while words:
        command = words.pop(0)
        if command == "ignore":
            signal.signal(number(words.pop(0)), signal.SIG_IGN)
        elif command == "default":
            signal.signal(number(words.pop(0)), signal.SIG_DFL)
        elif command == "trap":
            trapped = number(words.pop(0))
            signal.signal(trapped, lambda received, frame, body=block(words): run(body))
        elif command == "log":
            path = words.pop(0)
            log_signals(path, block(words))
        elif command == "spawn":
            fork(block(words), False)
        elif command == "start":
            fork(block(words), True)
        elif command == "doublefork":
            fork(block(words), False, detached=True)
        elif command == "doublestart":
            fork(block(words), True, detached=True)
        elif command == "repeat":
            times = int(words.pop(0))
            body = block(words)
            for _ in range(times):
                run(body)
        elif command == "up":
            up()
        elif command == "setsid":
            set_session()
        elif command == "setpgid":
            os.setpgid(0, 0)
        elif command == "shell":
            spawn_program(["/bin/sh", "-c", words.pop(0), MARK])
        elif command == "run":
            spawn_program(block(words))
        elif command == "exec":
            execute(words)
        elif command == "cleanenv":
            os.execve(sys.executable, [sys.executable, "-I", "-S", sys.argv[0], MARK] + words, {})
        elif command == "wait":
            try:
                while True:
                    os.wait()
            except ChildProcessError:
                pass
        elif command == "sleep":
            time.sleep(float(words.pop(0)))
        elif command == "forever":
            time.sleep(FOREVER)
        elif command == "busy":
            end = time.monotonic() + float(words.pop(0))
            while time.monotonic() < end:
                pass
        elif command == "stop":
            os.kill(os.getpid(), signal.SIGSTOP)
        elif command == "die":
            fatal = number(words.pop(0))
            if fatal not in (signal.SIGKILL, signal.SIGSTOP):
                signal.signal(fatal, signal.SIG_DFL)
            os.kill(os.getpid(), fatal)
        elif command == "exit":
            os._exit(int(words.pop(0)))
        elif command == "endleader":
            end_leader(float(words.pop(0)), int(words.pop(0)))
        elif command == "listen":
            listen(int(words.pop(0)))
        elif command == "hold":
            kept.append(os.open(words.pop(0), os.O_RDWR))
        elif command == "close":
            fd = words.pop(0)
            os.closerange(3, 4096) if fd == "all" else os.close(int(fd))
        elif command == "release":
            release()
        elif command == "say":
            out(1, os.fsencode(words.pop(0)) + b"\n")
        elif command == "complain":
            out(2, os.fsencode(words.pop(0)) + b"\n")
        elif command == "write":
            stream = words.pop(0)
            write({"stdout": 1, "stderr": 2}[stream], int(words.pop(0)))
        elif command == "chatter":
            pause, end = float(words.pop(0)), time.monotonic() + FOREVER
            while time.monotonic() < end:
                out(1, b"chatter\n")
                time.sleep(pause)
        elif command == "read":
            out(1, b"read %d\n" % read_all(False))
        elif command == "cat":
            read_all(True)
        elif command == "readline":
            read_line()
        elif command == "touch":
            append(words.pop(0), "")
        elif command == "append":
            path = words.pop(0)
            append(path, words.pop(0))
        elif command == "show":
            show(words.pop(0), words)
        else:
            raise ValueError("unknown command " + command)


signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python ignores both: a fixture meets them as any program does
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
born(sys.argv[2:])
