package io.berth.engine.quota;

import io.berth.engine.decision.BoundedText;
import io.berth.engine.model.QueueDialect;
import io.berth.engine.model.QueueModel;
import io.berth.engine.model.QueueRef;
import io.berth.engine.state.GroupEntry;
import io.berth.engine.state.PodEntry;
import io.berth.engine.state.SchedulingUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** The user-visible reasons why a unit is held by its queue. */
final class QueueText {
  private final CountedResources resources;

  QueueText(CountedResources resources) {
    this.resources = resources;
  }

  /**
   * Returns the reason if the unit would exceed the limit of a queue.
   *
   * @param withOthers whether it says how many other units wait; the unit itself must not be
   *     counted as waiting then
   */
  String overLimit(QueueNode node, UnitShare needs, SchedulingUnit unit, boolean withOthers) {
    List<String> parts = new ArrayList<>();
    for (int i = 0; i < node.limit.length; i++) {
      long limit = node.limit[i];
      long used = node.charged[i] - needs.own()[i];
      if (needs.amounts()[i] > 0
          && limit != CountedResources.UNLIMITED
          && needs.amounts()[i] > limit - used) {
        parts.add(
            "%s of %s %s, and %s requests %s more"
                .formatted(
                    resources.text(i, used),
                    resources.text(i, limit),
                    resources.name(i),
                    nameOf(unit),
                    resources.text(i, needs.amounts()[i])));
      }
    }
    return BoundedText.cut(
        "queue %s uses %s%s. It starts when enough pods of the queue have ended"
            .formatted(node.name, BoundedText.list(parts), withOthers ? others(node, unit) : ""));
  }

  /**
   * Returns how many others wait; between queues, priorities do not count. Large numbers are
   * rounded down: the text is written to the status of each pod when it changes.
   */
  private static String others(QueueNode node, SchedulingUnit unit) {
    int others = node.waiting.from(node.isLeaf() ? unit.priority() : Integer.MIN_VALUE);
    if (others == 0) {
      return "";
    }
    return "; %s other %s of the queue%s %s, too"
        .formatted(
            rounded(others),
            others == 1 ? "pod or group" : "pods or groups",
            node.isLeaf() ? " with the same or a higher priority" : "",
            others == 1 ? "waits" : "wait");
  }

  private static String rounded(int number) {
    int exact = 10;
    if (number <= exact) {
      return String.valueOf(number);
    }
    int bound = exact;
    while (number > bound * 10L) {
      bound *= 10;
    }
    return "more than " + bound;
  }

  /** Returns the reason why no node is requested for a unit of a queue. */
  static String noRequest(QueueNode leaf, NodeRequests.Obstacle obstacle) {
    return switch (obstacle) {
      case LIMIT ->
          "No node is requested for it: pods of queue %s that wait for nodes already use the rest of its limit"
              .formatted(leaf.name);
      case BORROWS ->
          "No node is requested for it: no guarantee covers it, and borrowing.scaleUp of queue %s is false"
              .formatted(withoutScaleUp(leaf).name);
      case TURN_OVER ->
          "No node is requested for it at present: it has waited for one for %d minutes, and other pods of queue %s take their turn"
              .formatted(NodeRequests.TURN.toMinutes(), leaf.name);
    };
  }

  private static QueueNode withoutScaleUp(QueueNode leaf) {
    QueueNode node = leaf;
    while (node.scaleUp && node.parent != null) {
      node = node.parent;
    }
    return node;
  }

  /** Returns the reason if the pods of a group would exceed the limit of a queue. */
  String notAdmitted(QueueNode node, long[] asked, long[] reserved) {
    List<String> parts = new ArrayList<>();
    for (int i = 0; i < node.limit.length; i++) {
      long limit = node.limit[i];
      if (!AmountVectors.fits(i, asked, limit, node.charged[i] + reserved[i])) {
        parts.add(
            "%s of %s %s%s, and the group requests at least %s more"
                .formatted(
                    resources.text(i, node.charged[i]),
                    resources.text(i, limit),
                    resources.name(i),
                    reserved[i] == 0
                        ? ""
                        : " and has promised %s to other groups"
                            .formatted(resources.text(i, reserved[i])),
                    resources.text(i, asked[i])));
      }
    }
    return BoundedText.cut(
        "queue %s uses %s. Its pods are created when enough pods of the queue have ended"
            .formatted(node.name, BoundedText.list(parts)));
  }

  private static String nameOf(SchedulingUnit unit) {
    return switch (unit) {
      case PodEntry pod -> "the pod";
      case GroupEntry group -> "the group";
    };
  }

  /** Returns the reason if the unit cannot be evicted, and is not covered by the guarantee. */
  static String neverEvicted(QueueNode leaf) {
    return "the PriorityClass of the pod forbids evicting it, so it starts only inside the guarantee of queue %s, which does not cover it now"
        .formatted(leaf.name);
  }

  /**
   * Returns the reason if the pod names a queue that it may not use. It is the same whether or not
   * the queue exists, because the owner of the pod reads it.
   */
  static String notAdmitted(QueueRef queue, String namespace) {
    return BoundedText.cut(
        switch (queue.dialect()) {
          case BERTH ->
              "queue \"%s\" does not exist, has queues below it, or does not admit namespace \"%s\": name another queue in the label sched.cloud.ctrip.com/queue, remove the label, or let the queue admit the namespace"
                  .formatted(queue.name(), namespace);
          case VOLCANO, KAI, KOORDINATOR, SCHEDULER_PLUGINS ->
              "queue \"%s\" of %s does not exist, or has queues below it: name another queue in %s, or create it"
                  .formatted(queue.name(), queue.dialect().title(), whereNamed(queue.dialect()));
        });
  }

  private static String whereNamed(QueueDialect dialect) {
    return switch (dialect) {
      case BERTH -> "the label " + QueueModel.LABEL;
      case VOLCANO -> "the PodGroup or the annotation scheduling.volcano.sh/queue-name";
      case KAI -> "the label kai.scheduler/queue";
      case KOORDINATOR -> "the label quota.scheduling.koordinator.sh/name";
      case SCHEDULER_PLUGINS -> "its namespace";
    };
  }

  /** Returns the reason if the queue, or one above it, starts no pods. */
  static String closed(QueueNode node) {
    return BoundedText.cut(
        "queue %s is closed: it starts no pods until it is opened in %s"
            .formatted(node.name, node.dialect.title()));
  }

  /** Returns the reason if the pods of a group belong to several queues. */
  static String severalQueues(SchedulingUnit unit, Collection<QueueNode> leaves) {
    List<String> names = leaves.stream().map(leaf -> leaf.name).sorted().toList();
    return BoundedText.cut(
        "the pods of %s belong to the queues %s, but pods that are placed together belong to one: let all of them name the same one, by the label sched.cloud.ctrip.com/queue for example"
            .formatted(nameOf(unit), String.join(", ", names)));
  }
}
