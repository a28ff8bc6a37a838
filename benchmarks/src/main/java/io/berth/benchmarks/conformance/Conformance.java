package io.berth.benchmarks.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Holds an engine's answers against kube-scheduler's, vector by vector.
 *
 * <p>Two kinds of vectors are understood: a scenario (one pod on one cluster) and a sequence (many
 * pods on a cluster that changes).
 */
public final class Conformance {

  /**
   * One vector's outcome.
   *
   * @param name as the vector names itself
   * @param differences what was other than expected; empty where it passed
   */
  public record Result(String name, List<String> differences) {
    public Result {
      differences = List.copyOf(differences);
    }

    /** Returns whether every answer was as expected. */
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

  /** Each vector is put to an engine of its own. */
  public static Conformance onFreshEngines() {
    return new Conformance(EngineUnderTest::new);
  }

  /**
   * All vectors are put to one engine that has seen 200 nodes and 2,000 pods come and go, and then
   * sees the objects of each vector come and go.
   */
  public static Conformance onOneUsedEngine() {
    EngineUnderTest engine = new EngineUnderTest();
    FormerLife.live(engine, new Policies());
    return new Conformance(() -> engine);
  }

  /** Puts one vector to an engine. */
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

  /** All outcomes so far, in order. */
  public List<Result> results() {
    return List.copyOf(results);
  }

  /** Returns the number of passed vectors. */
  public long passed() {
    return results.stream().filter(Result::passed).count();
  }

  /** Passed and total by flavour: the last part of a vector's name. */
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
