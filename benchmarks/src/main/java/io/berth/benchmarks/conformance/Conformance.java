package io.berth.benchmarks.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Compares the results of an engine with those of kube-scheduler, vector by vector.
 *
 * <p>There are two kinds of vectors: scenarios (one pod on one cluster) and sequences (many pods on
 * a changing cluster).
 */
public final class Conformance {

  /**
   * The result of one vector.
   *
   * @param name the name in the vector
   * @param differences the differences from the expected results; empty if the vector passed
   */
  public record Result(String name, List<String> differences) {
    public Result {
      differences = List.copyOf(differences);
    }

    /** Returns whether all results were as expected. */
    public boolean passed() {
      return differences.isEmpty();
    }
  }

  private final Policies policies = new Policies();
  private final Supplier<EngineUnderTest> engines;
  private final List<Result> results = new ArrayList<>();

  private Conformance(Supplier<EngineUnderTest> engines) {
    this.engines = engines;
  }

  /** Returns a comparison that runs each vector on a new engine. */
  public static Conformance onFreshEngines() {
    return new Conformance(EngineUnderTest::new);
  }

  /**
   * Returns a comparison that runs all vectors on one engine. 200 nodes and 2,000 pods are added to
   * it and removed before the first vector, and the objects of each vector are removed after it.
   */
  public static Conformance onOneUsedEngine() {
    EngineUnderTest engine = new EngineUnderTest();
    FormerLife.live(engine, new Policies());
    return new Conformance(() -> engine);
  }

  /** Runs one vector and returns its result. */
  public Result check(JsonNode vector) {
    boolean scenario = vector.has("scenario");
    String name = (scenario ? vector.path("scenario") : vector).path("name").asText("(no name)");
    Result result;
    try {
      EngineUnderTest engine = engines.get();
      Differences differences =
          scenario
              ? new ScenarioCheck(policies, engine).check(vector)
              : new SequenceCheck(policies, engine).check(vector);
      result = new Result(name, differences.lines());
    } catch (RuntimeException e) {
      result = new Result(name, List.of("the engine failed: " + describe(e)));
    }
    results.add(result);
    return result;
  }

  /** Returns the results so far, in order. */
  public List<Result> results() {
    return List.copyOf(results);
  }

  /** Returns the number of passed vectors. */
  public long passed() {
    return results.stream().filter(Result::passed).count();
  }

  /**
   * Returns the numbers of passed and of all vectors, such as {@code 9/10}, by flavour. The flavour
   * is {@code sequence}, or the last part of a scenario's name.
   */
  public Map<String, String> byFlavour() {
    Map<String, int[]> counts = new TreeMap<>();
    for (Result result : results) {
      String flavour =
          result.name().contains("-seq-")
              ? "sequence"
              : result.name().substring(result.name().lastIndexOf('-') + 1);
      int[] count = counts.computeIfAbsent(flavour, name -> new int[2]);
      count[0] += result.passed() ? 1 : 0;
      count[1]++;
    }
    Map<String, String> summary = new TreeMap<>();
    counts.forEach((flavour, count) -> summary.put(flavour, count[0] + "/" + count[1]));
    return summary;
  }

  private static String describe(RuntimeException e) {
    StringBuilder text = new StringBuilder(e.toString());
    StackTraceElement[] trace = e.getStackTrace();
    for (int i = 0; i < Math.min(8, trace.length); i++) {
      text.append("\n    at ").append(trace[i]);
    }
    return text.toString();
  }
}
