package io.berth.operator.record;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.engine.api.Decision;
import io.berth.engine.api.GroupState;
import io.berth.engine.api.ShadowDecision;
import io.berth.engine.decision.DecisionRecord;
import io.berth.engine.decision.NodeScore;
import io.berth.engine.decision.PluginScore;
import io.berth.engine.decision.Rejection;
import io.berth.engine.model.PodRef;
import io.berth.operator.record.DecisionLog.LoggedDecision;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Renders a decision as text and as JSON. */
public final class Explanation {

  private Explanation() {}

  /**
   * Returns plain text: a few lines and two tables.
   *
   * @param group the state of the group with which the pod was tried
   */
  public static String text(LoggedDecision entry, Optional<GroupState> group) {
    Decision decision = entry.decision();
    DecisionRecord record = decision.record();
    StringBuilder out = new StringBuilder();
    line(out, "Pod", decision.pod() + " (uid " + decision.pod().uid() + ")");
    line(out, "Decision", verdict(decision));
    line(out, "When", entry.at() + ", attempt " + entry.attempts());
    entry.outcome().ifPresent(outcome -> line(out, "Outcome", outcome));
    entry.nomination().ifPresent(before -> line(out, "Before", verdict(before)));
    entry.earlier().forEach(earlier -> line(out, "Earlier", text(earlier)));
    line(out, "Policy", policy(record));
    if (!record.group().isEmpty()) {
      String progress = group.map(state -> ": " + GroupProgress.text(state)).orElse("");
      line(out, "Group", record.group() + progress);
    }
    line(out, "Nodes", nodes(record));
    if (decision instanceof Decision.Placed placed) {
      PlacedDevices.ofClaims(placed).forEach(device -> line(out, "Device", device));
      PlacedDevices.cards(placed).ifPresent(cards -> line(out, "Cards", cards.toString()));
    } else {
      line(out, "Message", record.message());
    }
    Comparison.of(decision)
        .ifPresent(comparison -> line(out, "Decided", "by " + comparison.text()));
    entry.shadow().ifPresent(shadow -> line(out, "Shadow", verdict(shadow)));
    record.notes().forEach(note -> line(out, "Note", note));
    if (!record.rejections().isEmpty()) {
      out.append("\nRejected nodes\n");
      for (Rejection rejection : record.rejections()) {
        out.append(
            "  %6d  %-28s %s%n"
                .formatted(rejection.nodes(), rejection.plugin(), rejection.reason()));
      }
    }
    if (!record.bestNodes().isEmpty()) {
      out.append("\nBest nodes (score normalized to 0..100, times weight)\n");
      for (NodeScore node : record.bestNodes()) {
        out.append("  %6d  %s%n".formatted(node.total(), node.node()));
        for (PluginScore score : node.plugins()) {
          out.append(
              "          %-34s %4d x %-5d raw %d%n"
                  .formatted(score.plugin(), score.normalized(), score.weight(), score.raw()));
        }
      }
    }
    return out.toString();
  }

  private static String text(EarlierDecision earlier) {
    return "%s%s%s at %s%s"
        .formatted(
            earlier.result(),
            earlier.node().isEmpty() ? "" : " on " + earlier.node(),
            earlier.times() == 1 ? "" : ", %d times, the last".formatted(earlier.times()),
            earlier.at(),
            earlier.outcome().map(", "::concat).orElse(""));
  }

  private static String nodes(DecisionRecord record) {
    String known = record.nodes() + " in the cluster, " + record.feasibleNodes() + " feasible";
    return record.unconsideredNodes() == 0
        ? known
        : known
            + ", "
            + record.unconsideredNodes()
            + " not considered: the pod was nominated for a node, or enough nodes were found";
  }

  private static String policy(DecisionRecord record) {
    if (record.policy().isEmpty()) {
      return "none named and no default: kube-scheduler's defaults";
    }
    return record.policyRevision().isEmpty()
        ? record.policy() + ", which is not served"
        : record.policy() + ", revision " + record.policyRevision();
  }

  /** Returns JSON with the same content. */
  public static ObjectNode json(LoggedDecision entry, Optional<GroupState> group) {
    Decision decision = entry.decision();
    DecisionRecord record = decision.record();
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("namespace", decision.pod().namespace());
    json.put("pod", decision.pod().name());
    json.put("uid", decision.pod().uid());
    json.put("at", entry.at().toString());
    json.put("attempts", entry.attempts());
    json.put("resourceVersion", String.valueOf(entry.version()));
    json.put("decision", DecisionFields.result(decision));
    switch (decision) {
      case Decision.Placed placed -> {
        json.put("node", placed.nodeName());
        PlacedDevices.cards(placed).ifPresent(cards -> json.set("cards", cards));
        List<String> devices = PlacedDevices.ofClaims(placed);
        if (!devices.isEmpty()) {
          ArrayNode names = json.putArray("devices");
          devices.forEach(names::add);
        }
      }
      case Decision.Unschedulable unschedulable -> {
        json.put("cause", DecisionFields.cause(unschedulable.cause()));
        unschedulable
            .wouldEvict()
            .ifPresent(
                named -> {
                  ObjectNode item = json.putObject("wouldEvict").put("node", named.nodeName());
                  victims(item, named.victims());
                });
      }
      case Decision.Quarantined quarantined -> json.put("until", quarantined.until().toString());
      case Decision.GivenBack givenBack ->
          json.put("node", givenBack.nodeName()).put("why", givenBack.message());
      case Decision.Nominated nominated -> {
        json.put("node", nominated.nodeName());
        victims(json, nominated.victims());
      }
    }
    entry.outcome().ifPresent(outcome -> json.put("outcome", outcome));
    entry
        .nomination()
        .ifPresent(
            before -> {
              ObjectNode item = json.putObject("nominatedBefore").put("node", before.nodeName());
              victims(item, before.victims());
              item.put("message", before.message());
            });
    earlier(json, entry.earlier());
    entry.bindingMillis().ifPresent(millis -> json.put("bindingMillis", millis));
    json.put("policy", record.policy());
    json.put("policyRevision", record.policyRevision());
    if (!record.group().isEmpty()) {
      json.put("group", record.group());
      group.ifPresent(state -> GroupProgress.write(state, json.putObject("groupProgress")));
    }
    json.put("nodes", record.nodes());
    json.put("feasibleNodes", record.feasibleNodes());
    json.put("unconsideredNodes", record.unconsideredNodes());
    json.put("message", record.message());
    ArrayNode notes = json.putArray("notes");
    record.notes().forEach(notes::add);
    ArrayNode rejections = json.putArray("rejections");
    for (Rejection rejection : record.rejections()) {
      rejections
          .addObject()
          .put("plugin", rejection.plugin())
          .put("reason", rejection.reason())
          .put("resolvable", rejection.resolvable())
          .put("nodes", rejection.nodes());
    }
    scores(json.putArray("bestNodes"), record.bestNodes());
    Comparison.of(decision).ifPresent(comparison -> comparison.write(json.putObject("decidedBy")));
    entry.shadow().ifPresent(shadow -> write(shadow, json.putObject("shadow")));
    return json;
  }

  private static void victims(ObjectNode item, List<PodRef> pods) {
    ArrayNode victims = item.putArray("victims");
    pods.forEach(pod -> victims.add(pod.toString()));
  }

  private static void earlier(ObjectNode json, List<EarlierDecision> results) {
    if (results.isEmpty()) {
      return;
    }
    ArrayNode list = json.putArray("earlier");
    for (EarlierDecision earlier : results) {
      ObjectNode item =
          list.addObject()
              .put("result", earlier.result())
              .put("at", earlier.at().toString())
              .put("times", earlier.times());
      if (!earlier.node().isEmpty()) {
        item.put("node", earlier.node());
      }
      if (!earlier.message().isEmpty()) {
        item.put("message", earlier.message());
      }
      earlier.outcome().ifPresent(outcome -> item.put("outcome", outcome));
    }
  }

  private static void scores(ArrayNode json, List<NodeScore> nodes) {
    for (NodeScore node : nodes) {
      ObjectNode item = json.addObject().put("node", node.node()).put("total", node.total());
      ArrayNode plugins = item.putArray("plugins");
      for (PluginScore score : node.plugins()) {
        plugins
            .addObject()
            .put("plugin", score.plugin())
            .put("raw", score.raw())
            .put("normalized", score.normalized())
            .put("weight", score.weight());
      }
    }
  }

  private static String verdict(Decision decision) {
    return switch (decision) {
      case Decision.Placed placed -> "placed on " + placed.nodeName();
      case Decision.Unschedulable _ -> "unschedulable";
      case Decision.Quarantined quarantined -> "quarantined until " + quarantined.until();
      case Decision.GivenBack givenBack -> "releases " + givenBack.nodeName();
      case Decision.Nominated nominated ->
          "nominated for "
              + nominated.nodeName()
              + " after evicting "
              + nominated.victims().stream()
                  .map(Object::toString)
                  .collect(Collectors.joining(", "));
    };
  }

  private static String verdict(ShadowDecision shadow) {
    String what =
        switch (shadow.result()) {
          case SAME -> shadow.nodeName().isEmpty() ? "no node either" : "the same node";
          case ELSEWHERE, FITS_INSTEAD -> shadow.nodeName();
          case EVICTING -> shadow.nodeName() + ", with evictions";
          case FITS_NOWHERE -> "no node";
          case FAILED -> "no answer";
        };
    return shadow.message().isEmpty()
        ? "%s would select %s".formatted(shadow.shadow(), what)
        : "%s would select %s: %s".formatted(shadow.shadow(), what, shadow.message());
  }

  private static void write(ShadowDecision shadow, ObjectNode json) {
    json.put("policy", shadow.shadow()).put("result", nameOf(shadow.result()));
    if (!shadow.nodeName().isEmpty()) {
      json.put("node", shadow.nodeName());
    }
    if (!shadow.message().isEmpty()) {
      json.put("message", shadow.message());
    }
  }

  private static String nameOf(ShadowDecision.Result result) {
    return switch (result) {
      case SAME -> "Same";
      case ELSEWHERE -> "Elsewhere";
      case EVICTING -> "Evicting";
      case FITS_NOWHERE -> "FitsNowhere";
      case FITS_INSTEAD -> "FitsInstead";
      case FAILED -> "Failed";
    };
  }

  private static void line(StringBuilder out, String name, String value) {
    out.append("%-9s %s%n".formatted(name, value));
  }
}
