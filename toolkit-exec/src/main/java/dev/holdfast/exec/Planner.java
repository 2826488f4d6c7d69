package dev.holdfast.exec;

import dev.holdfast.exec.pipe.ByteConsumer;
import dev.holdfast.exec.pipe.Capture;
import dev.holdfast.exec.pipe.Discard;
import dev.holdfast.exec.pipe.HeadAndTail;
import dev.holdfast.exec.pipe.LineSplitter;
import dev.holdfast.exec.pipe.Sink;
import dev.holdfast.exec.pipe.Tail;
import dev.holdfast.exec.spawn.ProgramLookup;
import dev.holdfast.exec.spawn.Rung;
import dev.holdfast.exec.spawn.SpawnPlan;
import dev.holdfast.exec.spawn.StreamPlan;
import java.io.OutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Turns a command, with the defaults of the way it is run, into what the machinery needs. */
final class Planner {
  /** How a command is run, where that changes a default. */
  enum Manner {
    /** The caller gets a handle. */
    SPAWN,
    /** The caller gets the result. */
    RUN
  }

  private final Command command;
  private final ScopeOptions options;
  private final Manner manner;

  Planner(Command command, ScopeOptions options, Manner manner) {
    this.command = command;
    this.options = options;
    this.manner = manner;
  }

  /** A plan, and the outputs whose content ends up in the result. */
  record Planned(SpawnPlan plan, Kept stdout, Kept stderr) {}

  /** What is known of an output beside its plan. */
  record Kept(Output output, @Nullable Sink sink, boolean merged) {}

  /** Looks everything up; throws {@code LaunchFailure} for what can't be. */
  Planned plan() {
    Stdio stdio = command.stdio();
    Output fallback = manner == Manner.RUN ? Output.capture() : Output.tail();
    Output out = stdio.stdoutOr(fallback);
    Output err = stdio.merged() ? out : stdio.stderrOr(fallback);
    Sink outSink = sink(out);
    Sink errSink = stdio.merged() ? null : sink(err);
    Kept keptOut = new Kept(out, outSink, false);
    Kept keptErr = stdio.merged() ? new Kept(out, null, true) : new Kept(err, errSink, false);
    Ending ending = command.ending();
    Containment containment =
        ending.containmentOr(
            options
                .containment()
                .orElse(manner == Manner.RUN ? Containment.GROUP : Containment.TREE));

    List<byte[]> env = Environment.entries(command.environment());
    byte[] directory = command.cwd().map(Planner::absolute).orElse(null);
    SpawnPlan plan =
        new SpawnPlan(
            ProgramLookup.resolve(command.program(), Environment.searchPath(env), directory),
            bytes(command.words()),
            env,
            Environment.inheritedChain(),
            directory,
            input(stdio.stdin(), stdio.charset()),
            output(out, outSink, 1, stdio.charset()),
            stdio.merged() ? null : output(err, errSink, 2, stdio.charset()),
            containment == Containment.TREE ? SpawnPlan.Reach.TREE : SpawnPlan.Reach.GROUP,
            rungs(ending.stopOr(options.stop()), stdio.charset()),
            ending.timeout() == null ? SpawnPlan.FOR_EVER : nanos(ending.timeout()),
            manner == Manner.SPAWN,
            (child, thrown) ->
                new ChildProcess(child, command, keptOut, keptErr).sinkFailure(thrown),
            command.toString());
    return new Planned(plan, keptOut, keptErr);
  }

  private static List<byte[]> bytes(List<String> words) {
    List<byte[]> bytes = new ArrayList<>(words.size());
    for (String word : words) {
      bytes.add(word.getBytes(StandardCharsets.UTF_8));
    }
    return bytes;
  }

  private static byte[] absolute(Path path) {
    return NativePaths.bytes(path);
  }

  private static StreamPlan input(Input input, Charset charset) {
    return switch (input) {
      case Inputs.Empty _ -> new StreamPlan.Null();
      case Inputs.Inherit _ -> new StreamPlan.Inherited(0);
      case Inputs.Pipe _ -> new StreamPlan.Piped(Discard.DISCARD);
      case Inputs.Payload payload -> new StreamPlan.Content(payload.encode(charset));
      case Inputs.File file -> file(file.path(), StreamPlan.Mode.READ);
      case Inputs.Stream stream -> new StreamPlan.Fed(stream.source());
    };
  }

  private @Nullable Sink sink(Output output) {
    return switch (output) {
      case Outputs.Capture capture ->
          capture.overflow() == Overflow.TRUNCATE
              ? new HeadAndTail(capture.limitBytes())
              : new Capture(capture.limitBytes());
      case Outputs.Tail tail -> new Tail(tail.bytes());
      case Outputs.Pipe _ -> new Tail(Output.TAIL);
      default -> null;
    };
  }

  private StreamPlan output(Output output, @Nullable Sink sink, int fd, Charset charset) {
    return switch (output) {
      case Outputs.Discard _ -> new StreamPlan.Null();
      case Outputs.Inherit _ -> new StreamPlan.Inherited(fd);
      case Outputs.File file ->
          file(file.path(), file.append() ? StreamPlan.Mode.APPEND : StreamPlan.Mode.WRITE);
      case Outputs.Lines lines ->
          new StreamPlan.Pumped(new LineSplitter(charset, lines.consumer()));
      case Outputs.Log log ->
          new StreamPlan.Pumped(
              new LineSplitter(charset, line -> log.logger().atLevel(log.level()).log(line)));
      case Outputs.Stream stream -> new StreamPlan.Pumped(new Copy(stream.target()));
      case Outputs.Kept _ -> new StreamPlan.Collected(present(sink));
      case Outputs.Pipe _ ->
          manner == Manner.RUN
              ? new StreamPlan.Collected(present(sink))
              : new StreamPlan.Piped(present(sink));
    };
  }

  private static StreamPlan file(Path path, StreamPlan.Mode mode) {
    return new StreamPlan.FileStream(
        NativePaths.bytes(path), mode, path.toAbsolutePath().toString());
  }

  private static Sink present(@Nullable Sink sink) {
    return sink == null ? Discard.DISCARD : sink;
  }

  private static List<Rung> rungs(StopPolicy policy, Charset charset) {
    List<Rung> rungs = new ArrayList<>();
    for (StopStep step : policy.ladder()) {
      rungs.add(
          switch (step) {
            case StopStep.CloseStdin _ -> new Rung.CloseStdin();
            case StopStep.Write write -> new Rung.Write(write.payload().encode(charset));
            case StopStep.Send send -> new Rung.Send(send.signal().number(), send.continuesAfter());
            case StopStep.Await wait -> new Rung.Await(nanos(wait.limit()));
            case StopStep.Call call -> new Rung.Call(call.name(), call.action());
          });
    }
    return List.copyOf(rungs);
  }

  private static long nanos(Duration duration) {
    return Math.min(SpawnPlan.FOR_EVER, TimeUnit.NANOSECONDS.convert(duration));
  }

  /** Hands bytes on to a stream of the caller's, which stays open. */
  private record Copy(OutputStream target) implements ByteConsumer {
    @Override
    public void accept(byte[] chunk, int length) throws Exception {
      target.write(chunk, 0, length);
    }

    @Override
    public void end() throws Exception {
      target.flush();
    }
  }
}
