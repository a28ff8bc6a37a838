package io.berth.operator.offline;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/**
 * The response of a cluster to an object.
 *
 * @param manifest the object
 * @param problems why it would be refused; none: it would be accepted
 * @param warnings what kubectl would print
 * @param pods the pods that would be created, as they would be stored: of a pod itself, or one of a
 *     workload's template; none for other objects and where the pod would be denied
 */
public record ReviewResult(
    Manifest manifest, List<String> problems, List<String> warnings, List<JsonNode> pods) {

  public ReviewResult {
    problems = List.copyOf(problems);
    warnings = List.copyOf(warnings);
    pods = List.copyOf(pods);
  }

  public boolean isAccepted() {
    return problems.isEmpty();
  }
}
