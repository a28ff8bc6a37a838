package io.berth.operator.offline;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/**
 * The result of reviewing one object.
 *
 * @param manifest the object
 * @param problems the reasons why it would be rejected; empty if it would be accepted
 * @param warnings the warnings that kubectl would print
 * @param pods the resulting pods as they would be stored: the pod itself, or one from a workload's
 *     template; empty for other objects, and if the pod would be denied
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
