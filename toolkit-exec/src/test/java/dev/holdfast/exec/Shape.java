package dev.holdfast.exec;

import dev.holdfast.exec.libc.Errno;
import dev.holdfast.exec.libc.FaultyLibc;
import java.time.Duration;

/** The ways in which a scope is used that the halt matrix goes through. */
enum Shape implements Trial.Play {
  SPAWN_AND_CLOSE {
    @Override
    public void in(ExecScope scope, Trial trial) {
      scope.spawn(trial.marked(SLEEPER));
      scope.spawn(trial.marked(STUBBORN));
    }
  },
  RUN {
    @Override
    public void in(ExecScope scope, Trial trial) throws Exception {
      scope.run(trial.marked(Command.shell("echo out; sleep 600 >/dev/null 2>&1 & exit 3")));
    }
  },
  JOIN {
    @Override
    public void in(ExecScope scope, Trial trial) throws Exception {
      scope.spawn(trial.marked(BRIEF));
      scope.join();
      scope.spawn(trial.marked(SLEEPER));
    }
  },
  FORK {
    @Override
    public void in(ExecScope scope, Trial trial) {
      scope.fork(
          inner -> {
            inner.spawn(trial.marked(SLEEPER));
            return inner.spawn(trial.marked(BRIEF)).join();
          });
      scope.spawn(trial.marked(SLEEPER));
    }
  },
  FORK_AND_JOIN {
    @Override
    public void in(ExecScope scope, Trial trial) throws Exception {
      var task = scope.fork(inner -> inner.run(trial.marked(BRIEF)));
      scope.spawn(trial.marked(BRIEF));
      scope.join();
      task.get();
    }
  },
  STOP {
    @Override
    public void in(ExecScope scope, Trial trial) {
      ChildProcess sleeper = scope.spawn(trial.marked(SLEEPER));
      ChildProcess stubborn = scope.spawn(trial.marked(STUBBORN));
      sleeper.stop();
      stubborn.kill();
    }
  },
  HALT {
    @Override
    public void in(ExecScope scope, Trial trial) {
      scope.spawn(trial.marked(SLEEPER));
      scope.halt();
      scope.spawn(trial.marked(SLEEPER));
    }
  },
  NOT_FOUND {
    @Override
    public void in(ExecScope scope, Trial trial) {
      scope.spawn(trial.marked(SLEEPER));
      scope.spawn(trial.marked(Command.of("/nonexistent")));
    }
  },
  NOT_EXECUTABLE {
    @Override
    public void in(ExecScope scope, Trial trial) {
      scope.spawn(trial.marked(SLEEPER));
      try (var refused = FaultyLibc.errno("posix_spawn", 1, Errno.ENOEXEC)) {
        scope.spawn(trial.marked(SLEEPER));
        assert refused.struck();
      }
    }
  },
  RETRIED {
    @Override
    public void in(ExecScope scope, Trial trial) {
      try (var busy = FaultyLibc.errno("posix_spawn", 1, Errno.ETXTBSY)) {
        scope.spawn(trial.marked(SLEEPER));
        assert busy.struck();
      }
    }
  },
  THROWING {
    @Override
    public void in(ExecScope scope, Trial trial) {
      scope.spawn(trial.marked(STUBBORN));
      throw new IllegalArgumentException("thrown by the body");
    }
  },
  ACQUIRE {
    @Override
    public void in(ExecScope scope, Trial trial) {
      scope.acquire(Object::new, held -> {});
      scope.spawn(trial.marked(SLEEPER));
    }
  },
  AWAIT {
    @Override
    public void in(ExecScope scope, Trial trial) throws Exception {
      scope.spawn(trial.marked(BRIEF));
      scope.awaitProcesses(Duration.ofSeconds(5));
    }
  },
  TIMEOUT {
    @Override
    public void in(ExecScope scope, Trial trial) throws Exception {
      scope.run(trial.marked(STUBBORN).timeout(Duration.ofMillis(15)));
    }
  };

  static final Command SLEEPER = Command.of("/bin/sleep", "600").stdout(Output.discard());
  static final Command BRIEF = Command.of("/bin/sleep", "0.01");
  static final Command STUBBORN =
      Command.shell("trap '' TERM; sleep 600 & sleep 600; :").stdin(Input.pipe());
}
