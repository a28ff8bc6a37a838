package io.berth.benchmarks.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * All recorded results of kube-scheduler 1.36, on new engines and on one engine for all vectors.
 */
class ConformanceTest {
  /**
   * The vector in which kube-scheduler 1.36.2 counts pods of namespaces that a namespaceSelector
   * excludes (kubernetes#141526).
   */
  private static final Set<String> REGRESSION = Set.of("corner-seq-31012");

  @Test
  void scenarios_areAnsweredAsByKubeScheduler() {
    all(Conformance.onFreshEngines(), "kube-scheduler-1.36.jsonl.gz", 1_300);
  }

  @Test
  void scenarios_areAnsweredAlikeByAnEngineWithAFormerLife() {
    all(Conformance.onOneUsedEngine(), "kube-scheduler-1.36.jsonl.gz", 1_300);
  }

  @Test
  void sequences_areAnsweredAsByKubeScheduler() {
    all(Conformance.onFreshEngines(), "sequences-1.36.jsonl.gz", 80);
  }

  @Test
  void sequences_areAnsweredAlikeByAnEngineWithAFormerLife() {
    all(Conformance.onOneUsedEngine(), "sequences-1.36.jsonl.gz", 80);
  }

  /**
   * Vectors with unusual labels, quantities, ports, volumes, and ties, which are rare in the other
   * files. They were recorded with kube-scheduler 1.36.2, so they contain its regression.
   */
  @Test
  void corners_areAnsweredAsByKubeScheduler_butForItsRegression() {
    allBut(Conformance.onFreshEngines(), "corners-1.36.jsonl.gz", 320, REGRESSION);
  }

  @Test
  void corners_areAnsweredAlikeByAnEngineWithAFormerLife() {
    allBut(Conformance.onOneUsedEngine(), "corners-1.36.jsonl.gz", 320, REGRESSION);
  }

  /** Pods with resource claims, on clusters whose nodes have devices. */
  @Test
  void devices_areAllocatedAsByKubeScheduler() {
    all(Conformance.onFreshEngines(), "dra-1.36.jsonl.gz", 140);
  }

  @Test
  void devices_areAllocatedAlikeByAnEngineWithAFormerLife() {
    all(Conformance.onOneUsedEngine(), "dra-1.36.jsonl.gz", 140);
  }

  private static void all(Conformance conformance, String file, int vectors) {
    allBut(conformance, file, vectors, Set.of());
  }

  /** Checks that all vectors pass, and that exactly those with these names do not. */
  private static void allBut(
      Conformance conformance, String file, int vectors, Set<String> differing) {
    try (InputStream stream = ConformanceTest.class.getResourceAsStream("/conformance/" + file)) {
      assertThat(stream).isNotNull();
      VectorFile.forEach(stream, conformance::check);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    assertThat(conformance.results()).hasSize(vectors);
    assertThat(conformance.results())
        .filteredOn(result -> !result.passed() && !differing.contains(result.name()))
        .isEmpty();
    assertThat(conformance.results())
        .filteredOn(result -> differing.contains(result.name()))
        .hasSize(differing.size())
        .noneMatch(Conformance.Result::passed);
  }
}
