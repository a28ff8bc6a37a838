package io.berth.engine.whatif;

import io.berth.engine.decision.NodeJudgement;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.ResourceAmounts;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The judgement of a pod's policy about one node now, with the figures behind it. A pod that is on
 * a node is taken from it first.
 *
 * @param judgement the verdicts of the filters, and the scores
 * @param resources the figures for the resources that the pod requests, and for the number of pods
 */
public record NodeVerdict(
    PodModel pod, NodeModel node, NodeJudgement judgement, List<Room> resources) {
  /** Copies the list. */
  public NodeVerdict {
    resources = List.copyOf(resources);
  }

  /**
   * The room for one resource on the node, in its base unit.
   *
   * @param wanted what the pod requests
   * @param free what other pods leave of it; negative if they request more than the node has
   */
  public record Room(String resource, long wanted, long free, long allocatable) {}

  /**
   * Judges a node.
   *
   * @return empty if the policy of the pod does not exist, cannot be used, or does not place pods
   *     of its namespace
   */
  public static Optional<NodeVerdict> of(Mirror mirror, PodModel pod, NodeModel node, Instant now) {
    try (Trial trial = new Trial(mirror, now)) {
      mirror.startTurnsAt(mirror.nodeOf(pod));
      trial.remove(pod.ref());
      trial.place(PodVariant.of(pod).asNew().build());
      return mirror
          .judge(pod.ref(), node.name())
          .map(judgement -> new NodeVerdict(pod, node, judgement, rooms(mirror, pod, node)));
    }
  }

  private static List<Room> rooms(Mirror mirror, PodModel pod, NodeModel node) {
    List<Room> rooms = new ArrayList<>();
    ResourceAmounts asked = pod.spec().requests().asked();
    for (int i = 0; i < asked.size(); i++) {
      if (asked.amount(i) > 0) {
        rooms.add(room(mirror, node, asked.name(i), asked.amount(i)));
      }
    }
    rooms.add(room(mirror, node, ResourceAmounts.PODS, 1));
    return rooms;
  }

  private static Room room(Mirror mirror, NodeModel node, String resource, long wanted) {
    long allocatable = node.allocatable().amountOf(resource);
    return new Room(
        resource, wanted, allocatable - mirror.uses().of(node.name(), resource), allocatable);
  }
}
