package io.berth.operator.record;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.engine.api.Decision;
import io.berth.engine.decision.NodeScore;
import io.berth.engine.decision.PluginScore;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A comparison of the selected node with the best other node: how many points each plugin
 * contributed to the difference.
 *
 * @param chosen the selected node
 * @param runnerUp the best other node
 * @param lead the difference of the total scores
 * @param leads the plugins with a difference, greatest lead first
 */
record Comparison(String chosen, String runnerUp, long lead, List<Lead> leads) {

  /**
   * The contribution of one plugin.
   *
   * @param plugin the plugin's name
   * @param points normalized score times weight on the selected node, minus that on the other
   */
  record Lead(String plugin, long points) {}

  Comparison {
    leads = List.copyOf(leads);
  }

  /** Returns the comparison; empty if the pod was not placed, or only one node was scored. */
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

  /** Returns the comparison as one line of text. */
  String text() {
    if (leads.isEmpty()) {
      return "turn: %s has the same score".formatted(runnerUp);
    }
    String parts =
        leads.stream()
            .map(lead -> "%s %+d".formatted(lead.plugin(), lead.points()))
            .collect(Collectors.joining(", "));
    return lead == 0
        ? "turn: %s has the same total score (%s)".formatted(runnerUp, parts)
        : "%s; total %+d over %s".formatted(parts, lead, runnerUp);
  }

  void write(ObjectNode json) {
    json.put("runnerUp", runnerUp).put("lead", lead);
    ArrayNode plugins = json.putArray("plugins");
    leads.forEach(
        each -> plugins.addObject().put("plugin", each.plugin()).put("points", each.points()));
  }
}
