package io.berth.operator.query;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.engine.decision.NodeJudgement;
import io.berth.engine.decision.NodeJudgement.FilterVerdict;
import io.berth.engine.decision.NodeScore;
import io.berth.engine.decision.PluginScore;
import io.berth.engine.framework.Verdict;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodModel;
import io.berth.engine.whatif.Mirror;
import io.berth.engine.whatif.NodeVerdict;
import java.time.Clock;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Answers what the policy of a pod makes of one node, on the mirror of this replica: the verdict of
 * every filter with the figures behind it, and every score beside that of the best node.
 */
final class NodeVerdicts {
  private static final String RESOURCES = "NodeResourcesFit";

  private final MirrorAnswers mirrors;
  private final Clock clock;

  NodeVerdicts(MirrorAnswers mirrors, Clock clock) {
    this.mirrors = mirrors;
    this.clock = clock;
  }

  /**
   * Returns the verdict.
   *
   * @param namesNodes whether the user may list nodes; otherwise only the pod's own node is
   *     possible, and no other one is named
   * @throws ApiException if there is no such pod or node, or the user may not see it
   */
  ObjectNode answer(ApiUser user, RequestTarget target, boolean namesNodes) throws ApiException {
    return mirrors.ask(user, (mirror, expired) -> answer(mirror, user, target, namesNodes));
  }

  private ObjectNode answer(Mirror mirror, ApiUser user, RequestTarget target, boolean namesNodes)
      throws ApiException {
    PodModel pod =
        mirror
            .pod(target.namespace(), target.name())
            .orElseThrow(
                () -> new ApiException(404, "pods \"%s\" not found".formatted(target.name())));
    String own = mirror.nodeOf(pod);
    if (!namesNodes && !own.equals(target.node())) {
      throw new ApiException(
          403,
          "User \"%s\" cannot list nodes, and pod %s is not on this one"
              .formatted(user.name(), target.name()));
    }
    NodeModel node =
        mirror
            .node(target.node())
            .orElseThrow(
                () -> new ApiException(404, "nodes \"%s\" not found".formatted(target.node())));
    ObjectNode object = QueryApi.object(QueryResource.NODE_VERDICT);
    object
        .putObject("metadata")
        .put("name", target.name())
        .put("namespace", target.namespace())
        .put("creationTimestamp", clock.instant().toString());
    ObjectNode status = object.putObject("status").put("node", node.name());
    if (!mirror.schedules(pod)) {
      status
          .put("result", "OtherScheduler")
          .put("message", "the pod is placed by scheduler \"%s\"".formatted(pod.schedulerName()));
      return object;
    }
    NodeVerdict.of(mirror, pod, node, clock.instant())
        .ifPresentOrElse(
            verdict -> write(status, verdict, own, namesNodes),
            () ->
                status
                    .put("result", "PolicyMissing")
                    .put(
                        "message",
                        "the pod's policy does not exist, is invalid, or does not allow namespace "
                            + target.namespace()));
    return object;
  }

  private static void write(
      ObjectNode status, NodeVerdict verdict, String own, boolean namesNodes) {
    NodeJudgement judgement = verdict.judgement();
    long rejecting =
        judgement.filters().stream().filter(filter -> filter.rejection().isPresent()).count();
    status.put("result", judgement.fits() ? "Fits" : "DoesNotFit");
    status.put("message", message(judgement, rejecting));
    status
        .putObject("policy")
        .put("name", judgement.policy())
        .put("revision", judgement.policyRevision());
    ArrayNode filters = status.putArray("filters");
    judgement.filters().forEach(filter -> write(filters.addObject(), filter, verdict));
    status.put("feasibleNodes", judgement.feasibleNodes());
    if (!judgement.winner().isEmpty() && (namesNodes || judgement.winner().equals(own))) {
      status.put("winner", judgement.winner());
    }
    judgement.score().ifPresent(score -> status.put("score", score.total()));
    judgement.winnerScore().ifPresent(score -> status.put("winnerScore", score.total()));
    judgement
        .winnerScore()
        .ifPresent(winner -> scores(status.putArray("scores"), judgement.score(), winner));
  }

  private static String message(NodeJudgement judgement, long rejecting) {
    if (rejecting > 0) {
      return "%d of %d filters reject the node".formatted(rejecting, judgement.filters().size());
    }
    return judgement.score().equals(judgement.winnerScore())
        ? "the node has the best score of %d that fit".formatted(judgement.feasibleNodes())
        : "the node fits, and another one of %d has a better score"
            .formatted(judgement.feasibleNodes());
  }

  private static void write(ObjectNode item, FilterVerdict filter, NodeVerdict verdict) {
    Optional<Verdict> rejection = filter.rejection();
    item.put("plugin", filter.plugin()).put("passes", rejection.isEmpty());
    rejection.ifPresent(
        why ->
            item.put("message", String.join(", ", why.reasons()))
                .put("evictionMayHelp", why.mayBeCuredByEviction()));
    NodeFigures.of(filter, verdict).ifPresent(figures -> item.put("figures", figures));
    if (filter.besideNominated()) {
      item.put("besideNominatedPods", true);
    }
    if (filter.plugin().equals(RESOURCES)) {
      ArrayNode resources = item.putArray("resources");
      for (NodeVerdict.Room room : verdict.resources()) {
        resources
            .addObject()
            .put("name", room.resource())
            .put("wanted", Quantities.text(room.resource(), room.wanted()))
            .put("free", Quantities.text(room.resource(), room.free()))
            .put("allocatable", Quantities.text(room.resource(), room.allocatable()));
      }
    }
  }

  private static void scores(ArrayNode list, Optional<NodeScore> score, NodeScore winner) {
    Map<String, PluginScore> own = new HashMap<>();
    score.ifPresent(known -> known.plugins().forEach(part -> own.put(part.plugin(), part)));
    for (PluginScore best : winner.plugins()) {
      ObjectNode item =
          list.addObject()
              .put("plugin", best.plugin())
              .put("weight", best.weight())
              .put("winnerRaw", best.raw())
              .put("winnerNormalized", best.normalized());
      PluginScore part = own.get(best.plugin());
      if (part != null) {
        item.put("raw", part.raw()).put("normalized", part.normalized());
      }
    }
  }
}
