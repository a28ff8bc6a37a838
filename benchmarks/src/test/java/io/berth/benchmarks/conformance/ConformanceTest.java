package io.berth.benchmarks.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import org.junit.jupiter.api.Test;

/**
 * All recorded results of kube-scheduler 1.36, on new engines and on one engine for all vectors.
 */
class ConformanceTest {

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
   * files.
   */
  @Test
  void corners_areAnsweredAsByKubeScheduler() {
    all(Conformance.onFreshEngines(), "corners-1.36.jsonl.gz", 320);
  }

  @Test
  void corners_areAnsweredAlikeByAnEngineWithAFormerLife() {
    all(Conformance.onOneUsedEngine(), "corners-1.36.jsonl.gz", 320);
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
    try (InputStream stream = ConformanceTest.class.getResourceAsStream("/conformance/" + file)) {
      assertThat(stream).isNotNull();
      VectorFile.forEach(stream, conformance::check);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    assertThat(conformance.results()).hasSize(vectors);
    assertThat(conformance.results()).filteredOn(result -> !result.passed()).isEmpty();
  }
}
