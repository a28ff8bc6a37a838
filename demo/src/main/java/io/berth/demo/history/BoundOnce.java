package io.berth.demo.history;

import io.berth.demo.history.ClusterChange.PodChange;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The rule that each pod is bound at most once and stays bound to that node. */
record BoundOnce() implements Rule {
  private static final String RULE = "a pod is bound at most once";

  @Override
  public List<Violation> violations(History history) {
    List<Violation> found = new ArrayList<>();
    Map<String, String> nodes = new HashMap<>();
    for (ClusterChange change : history.changes()) {
      if (change instanceof PodChange seen && !seen.deleted()) {
        PodState pod = seen.pod();
        String node = pod.node().orElse("");
        String previous = nodes.put(pod.uid(), node);
        if (previous != null && !previous.isEmpty() && !previous.equals(node)) {
          found.add(
              new Violation(
                  RULE,
                  seen.at(),
                  "%s was bound to %s, then %s"
                      .formatted(
                          pod.title(), previous, node.isEmpty() ? "to no node" : "to " + node)));
        }
      }
    }
    return found;
  }
}
