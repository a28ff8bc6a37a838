package io.berth.engine.state;

import io.berth.engine.journal.Journal;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** The pods on nodes that are not known: stored, but not counted until their node is added. */
final class AwaitingNode {
  private final Journal journal;
  private final Map<String, Set<PodEntry>> byName = new HashMap<>();

  AwaitingNode(Journal journal) {
    this.journal = journal;
  }

  /** Stores a pod until the node with this name is added. */
  void add(PodEntry pod, String nodeName) {
    journal.requireClosed("a pod on a node that is not known");
    byName.computeIfAbsent(nodeName, name -> new LinkedHashSet<>()).add(pod);
  }

  /** Removes a pod, if it is stored. */
  void remove(PodEntry pod) {
    if (!byName.isEmpty()) {
      byName
          .values()
          .removeIf(
              waiting -> {
                boolean was = waiting.remove(pod);
                if (was) {
                  journal.requireClosed("a pod on a node that is not known");
                }
                return was && waiting.isEmpty();
              });
    }
  }

  /** Removes and returns the pods that wait for this node, in their order. */
  Set<PodEntry> take(String nodeName) {
    Set<PodEntry> waiting = byName.remove(nodeName);
    return waiting == null ? Set.of() : waiting;
  }
}
