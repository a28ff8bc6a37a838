package io.berth.benchmarks.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.engine.model.PodRef;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The criteria by which kube-scheduler compares preemption candidates. Candidates with equal
 * criteria are equally good.
 */
final class VictimCriteria {
  private static final long PRIORITY_OFFSET = 1L << 31;

  private final Map<String, JsonNode> pods = new HashMap<>();

  VictimCriteria(JsonNode runningPods) {
    for (JsonNode pod : runningPods) {
      JsonNode metadata = pod.path("metadata");
      pods.put(metadata.path("namespace").asText() + "/" + metadata.path("name").asText(), pod);
    }
  }

  static String key(PodRef pod) {
    return pod.namespace() + "/" + pod.name();
  }

  /**
   * Returns the criteria of a candidate: the number of PodDisruptionBudget violations, the highest
   * priority, the sum of the priorities, the number of victims, and the earliest start time of the
   * victims with the highest priority.
   */
  List<Object> of(JsonNode candidate) {
    long highest = Long.MIN_VALUE;
    long sum = 0;
    Instant earliest = Instant.MAX;
    for (JsonNode name : candidate.path("pods")) {
      JsonNode victim = pods.getOrDefault(name.asText(), candidate);
      long priority = victim.path("spec").path("priority").asLong();
      Instant start = Instant.parse(victim.path("status").path("startTime").asText());
      sum += priority + PRIORITY_OFFSET;
      if (priority > highest) {
        highest = priority;
        earliest = start;
      } else if (priority == highest && start.isBefore(earliest)) {
        earliest = start;
      }
    }
    return List.of(
        candidate.path("pdbViolations").asInt(),
        highest,
        sum,
        candidate.path("pods").size(),
        earliest);
  }
}
