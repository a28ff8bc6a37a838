package io.berth.operator.query;

import io.berth.engine.decision.NodeJudgement.FilterVerdict;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.NodeTerm;
import io.berth.engine.model.PodSpec;
import io.berth.engine.model.Requirement;
import io.berth.engine.model.Taint;
import io.berth.engine.model.TaintEffect;
import io.berth.engine.topology.ToleratedNodes;
import io.berth.engine.whatif.NodeVerdict;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The figures behind the verdict of a filter on one node, in words. */
final class NodeFigures {
  private static final String SEPARATOR = "; ";

  private NodeFigures() {}

  /** Returns the figures; empty if the filter has none, or they say nothing about this node. */
  static Optional<String> of(FilterVerdict filter, NodeVerdict verdict) {
    PodSpec spec = verdict.pod().spec();
    String figures =
        switch (filter.plugin()) {
          case "NodeResourcesFit" -> resources(verdict);
          case "TaintToleration" -> taints(spec, verdict.node());
          case "NodeAffinity" -> labels(spec, verdict.node());
          case "NodeUnschedulable" -> verdict.node().unschedulable() ? "it is cordoned" : "";
          default -> filter.figures();
        };
    return Optional.of(figures).filter(text -> !text.isEmpty());
  }

  private static String resources(NodeVerdict verdict) {
    return verdict.resources().stream()
        .map(
            room ->
                "asks for %s %s, %s of %s are free"
                    .formatted(
                        Quantities.text(room.resource(), room.wanted()),
                        room.resource(),
                        Quantities.text(room.resource(), room.free()),
                        Quantities.text(room.resource(), room.allocatable())))
        .collect(Collectors.joining(SEPARATOR));
  }

  private static String taints(PodSpec spec, NodeModel node) {
    List<String> taints =
        node.taints().stream()
            .filter(taint -> taint.effect() != TaintEffect.PREFER_NO_SCHEDULE)
            .filter(taint -> !ToleratedNodes.covers(spec.tolerations(), taint))
            .map(NodeFigures::text)
            .toList();
    return taints.isEmpty() ? "" : "does not tolerate " + String.join(SEPARATOR, taints);
  }

  private static String text(Taint taint) {
    return taint.value().isEmpty() ? taint.key() : taint.key() + "=" + taint.value();
  }

  private static String labels(PodSpec spec, NodeModel node) {
    String terms =
        spec.nodes()
            .required()
            .filter(all -> all.stream().noneMatch(term -> term.matches(node)))
            .map(all -> terms(all, node))
            .orElse("");
    return Stream.of(selector(spec, node), terms)
        .filter(text -> !text.isEmpty())
        .collect(Collectors.joining(SEPARATOR));
  }

  /** Returns what each of the terms requires that the node does not have. */
  private static String terms(List<NodeTerm> terms, NodeModel node) {
    return terms.stream()
        .map(
            term ->
                Stream.concat(
                        term.expressions().stream()
                            .filter(wanted -> !wanted.matches(node.labels()))
                            .map(wanted -> text(wanted, node.labels().get(wanted.key()))),
                        term.fields().stream()
                            .filter(wanted -> !wanted.matchesValue(node.name()))
                            .map(wanted -> text(wanted, node.name())))
                    .collect(Collectors.joining(" and ")))
        .filter(text -> !text.isEmpty())
        .collect(Collectors.joining(", or "));
  }

  private static String text(Requirement wanted, @Nullable String value) {
    String values = String.join(", ", wanted.values());
    String condition =
        switch (wanted.operator()) {
          case IN -> "in (%s)".formatted(values);
          case NOT_IN -> "not in (%s)".formatted(values);
          case EXISTS -> "with any value";
          case DOES_NOT_EXIST -> "to be absent";
          case GREATER_THAN -> "greater than " + values;
          case LESS_THAN -> "less than " + values;
        };
    return "requires %s %s, the node has %s"
        .formatted(wanted.key(), condition, Objects.requireNonNullElse(value, "no such label"));
  }

  private static String selector(PodSpec spec, NodeModel node) {
    return spec.nodes().nodeSelector().entrySet().stream()
        .filter(wanted -> !wanted.getValue().equals(node.labels().get(wanted.getKey())))
        .sorted(Map.Entry.comparingByKey())
        .map(
            wanted ->
                "requires %s=%s, the node has %s"
                    .formatted(
                        wanted.getKey(),
                        wanted.getValue(),
                        node.labels().containsKey(wanted.getKey())
                            ? node.labels().get(wanted.getKey())
                            : "no such label"))
        .collect(Collectors.joining(SEPARATOR));
  }
}
