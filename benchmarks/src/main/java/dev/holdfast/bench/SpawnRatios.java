package dev.holdfast.bench;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/**
 * Runs {@link SpawnBenchmark} in rounds, every launcher once a round in a JVM of its own, and
 * prints the medians of the iterations of all rounds and their ratios to C. What the machine does
 * besides then weighs on all alike. Three rounds by default; the arguments are JMH's, but {@code
 * -f} counts rounds:
 *
 * <pre>{@code
 * mvn -Dquick -DskipTests -Pbench -pl benchmarks -am package \
 *     -Dbench.main=dev.holdfast.bench.SpawnRatios -Dbench.args="-f 5"
 * }</pre>
 */
public final class SpawnRatios {
  private static final int ROUNDS = 3;
  private static final String LIMIT = "c";

  private SpawnRatios() {}

  /**
   * Runs the rounds.
   *
   * @param args JMH's
   * @throws CommandLineOptionException when JMH doesn't know an argument
   * @throws RunnerException when a run fails
   */
  public static void main(String[] args) throws CommandLineOptionException, RunnerException {
    CommandLineOptions given = new CommandLineOptions(args);
    int rounds = given.getForkCount().orElse(ROUNDS);
    Map<String, List<Double>> scores = new LinkedHashMap<>();
    for (int round = 0; round < rounds; round++) {
      OptionsBuilder options = new OptionsBuilder();
      options.parent(given).forks(1);
      if (given.getIncludes().isEmpty()) {
        options.include(SpawnBenchmark.class.getName());
      }
      for (RunResult result : new Runner(options.build()).run()) {
        add(result, scores);
      }
    }
    print(scores);
  }

  private static void add(RunResult result, Map<String, List<Double>> scores) {
    String benchmark = result.getParams().getBenchmark();
    List<Double> own =
        scores.computeIfAbsent(
            benchmark.substring(benchmark.lastIndexOf('.') + 1), _ -> new ArrayList<>());
    for (BenchmarkResult fork : result.getBenchmarkResults()) {
      for (IterationResult iteration : fork.getIterationResults()) {
        own.add(iteration.getPrimaryResult().getScore());
      }
    }
  }

  private static void print(Map<String, List<Double>> scores) {
    List<Double> limit = scores.get(LIMIT);
    System.out.printf("%n%-16s %10s %10s %10s %8s%n", "us", "fastest", "median", "slowest", "/ C");
    scores.forEach(
        (launcher, own) ->
            System.out.printf(
                "%-16s %10.0f %10.0f %10.0f %8s%n",
                launcher,
                Collections.min(own),
                median(own),
                Collections.max(own),
                limit == null ? "-" : "%.2f".formatted(median(own) / median(limit))));
  }

  private static double median(List<Double> values) {
    List<Double> sorted = values.stream().sorted().toList();
    int half = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(half)
        : (sorted.get(half - 1) + sorted.get(half)) / 2;
  }
}
