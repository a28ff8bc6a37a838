package io.berth.operator.record;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.engine.Decision;
import io.berth.engine.decision.NodeScore;
import io.berth.engine.decision.PluginScore;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The chosen node compared with the best of the others: by how much each plugin put it ahead or
 * behind.
 *
 * @param leads the plugins that made a difference, the greatest lead first
 */
record Comparison(String chosen, String runnerUp, long lead, List<Lead> leads) {

  /**
   * The difference that a plugin made.
   *
   * @param points normalized score times weight on the chosen node, less that on the other
   */
  record Lead(String plugin, long points) {}

  Comparison {
    leads = List.copyOf(leads);
  }

  /** Compares; empty where the pod was not placed, or only one node was scored. */
  static Optional<Comparison> of(Decision decision) {
    if (!(decision instanceof Decision.Placed placed)) {
      return Optional.empty();
    }
    List<NodeScore> best = placed.record().bestNodes();
    Optional<NodeScore> chosen =
        best.stream().filter(node -> node.node().equals(placed.nodeName())).findFirst();
    Optional<NodeScore> other =
        best.stream().filter(node -> !node.node().equals(placed.nodeName())).findFirst();
    return chosen.isEmpty() || other.isEmpty()
        ? Optional.empty()
        : Optional.of(between(chosen.get(), other.get()));
  }

  private static Comparison between(NodeScore chosen, NodeScore other) {
    List<Lead> leads = new ArrayList<>();
    for (int i = 0; i < chosen.plugins().size(); i++) {
      long points = points(chosen.plugins().get(i)) - points(other.plugins().get(i));
      if (points != 0) {
        leads.add(new Lead(chosen.plugins().get(i).plugin(), points));
      }
    }
    leads.sort(Comparator.comparingLong(Lead::points).reversed());
    return new Comparison(chosen.node(), other.node(), chosen.total() - other.total(), leads);
  }

  private static long points(PluginScore score) {
    return score.normalized() * score.weight();
  }

  /** Returns one line for people. */
  String text() {
    if (leads.isEmpty()) {
      return "turn: %s scores the same".formatted(runnerUp);
    }
    String parts =
        leads.stream()
            .map(lead -> "%s %+d".formatted(lead.plugin(), lead.points()))
            .collect(Collectors.joining(", "));
    return lead == 0
        ? "turn: %s scores the same in all (%s)".formatted(runnerUp, parts)
        : "%s; in all %+d over %s".formatted(parts, lead, runnerUp);
  }

  void write(ObjectNode json) {
    json.put("runnerUp", runnerUp).put("lead", lead);
    ArrayNode plugins = json.putArray("plugins");
    leads.forEach(
        each -> plugins.addObject().put("plugin", each.plugin()).put("points", each.points()));
  }
}
