package io.berth.engine.quota;

import io.berth.engine.decision.BoundedText;
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

  /** Returns the reason if the unit would exceed the limit of a queue. */
  String overLimit(QueueNode node, UnitShare needs, SchedulingUnit unit) {
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
        "queue %s uses %s. It starts when enough pods of the queue have ended"
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
  static String notAdmitted(String queue, String namespace) {
    return BoundedText.cut(
        "queue \"%s\" does not exist, has queues below it, or does not admit namespace \"%s\": name another queue in the label sched.cloud.ctrip.com/queue, remove the label, or let the queue admit the namespace"
            .formatted(queue, namespace));
  }

  /** Returns the reason if the pods of a group belong to several queues. */
  static String severalQueues(SchedulingUnit unit, Collection<QueueNode> leaves) {
    List<String> names = leaves.stream().map(leaf -> leaf.name).sorted().toList();
    return BoundedText.cut(
        "the pods of %s belong to the queues %s, but pods that are placed together belong to one: set the same label sched.cloud.ctrip.com/queue on all of them"
            .formatted(nameOf(unit), String.join(", ", names)));
  }
}
