package io.berth.engine.quota;

import io.berth.engine.model.GroupDialect;
import io.berth.engine.model.GroupModel;
import io.berth.engine.model.QueueDialect;
import io.berth.engine.model.QueueModel;
import io.berth.engine.model.QueueRef;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.GroupEntry;
import io.berth.engine.state.PodEntry;
import io.berth.engine.state.SchedulingUnit;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The queues to which pods belong: that which a pod names by Berth's label, or else in another
 * dialect, itself or through its group; otherwise that of its namespace.
 */
final class QueueMembership {
  private final ClusterState state;
  private final Set<QueueDialect> served = EnumSet.of(QueueDialect.BERTH);

  QueueMembership(ClusterState state) {
    this.state = state;
  }

  /** Counts pods in the queues of a dialect from now on; returns whether this is new. */
  boolean serve(QueueDialect dialect) {
    return served.add(dialect);
  }

  /** Returns whether pods are counted in the queues of a dialect. */
  boolean serves(QueueDialect dialect) {
    return served.contains(dialect);
  }

  /** Returns whether the pod belongs to no queue, whatever queues there are. */
  static boolean isOutside(PodEntry pod) {
    return pod.priority() >= Quotas.SYSTEM_PRIORITY
        || pod.model().isOfDaemonSet()
        || pod.model().mirror();
  }

  /** Returns the queue that the pod names; null if it names none. */
  private @Nullable QueueRef namedBy(PodEntry pod) {
    String label = pod.model().labels().get(QueueModel.LABEL);
    if (label != null) {
      return new QueueRef(QueueDialect.BERTH, label);
    }
    if (served.size() == 1) {
      return null;
    }
    if (served.contains(QueueDialect.VOLCANO)) {
      String ofGroup =
          state
              .groups()
              .of(pod)
              .filter(group -> group.ref().dialect() == GroupDialect.VOLCANO)
              .flatMap(GroupEntry::model)
              .map(GroupModel::queue)
              .orElse("");
      if (!ofGroup.isEmpty()) {
        return new QueueRef(QueueDialect.VOLCANO, ofGroup);
      }
    }
    for (QueueRef queue : pod.model().otherQueues()) {
      if (served.contains(queue.dialect())) {
        return queue;
      }
    }
    return null;
  }

  /** Returns the queue in which the pod counts; null if it belongs to none. */
  @Nullable QueueNode leafOf(QueueTree queues, PodEntry pod) {
    if (isOutside(pod)) {
      return null;
    }
    QueueRef named = namedBy(pod);
    String namespace = pod.ref().namespace();
    if (named == null) {
      return queues.ofNamespace(namespace, state.namespaces());
    }
    return queues.named(named, namespace, state.namespaces()).orElse(elsewhere(queues, named));
  }

  /** Returns where pods count whose queue is missing. */
  private static QueueNode elsewhere(QueueTree queues, QueueRef missing) {
    return missing.dialect() == QueueDialect.KOORDINATOR ? queues.fallback() : queues.defaultLeaf();
  }

  /**
   * Returns the user-visible reason why pods that are placed together belong to no queue, or to
   * several; empty if they belong to one. Pods that name a missing quota of Koordinator belong to
   * its default, as there.
   */
  Optional<String> misplaced(QueueTree queues, SchedulingUnit unit, Collection<PodEntry> pods) {
    Set<QueueNode> leaves = new HashSet<>();
    for (PodEntry pod : pods) {
      QueueRef named = isOutside(pod) ? null : namedBy(pod);
      String namespace = pod.ref().namespace();
      if (named != null
          && named.dialect() != QueueDialect.KOORDINATOR
          && queues.named(named, namespace, state.namespaces()).isEmpty()) {
        return Optional.of(QueueText.notAdmitted(named, namespace));
      }
      QueueNode leaf = leafOf(queues, pod);
      if (leaf != null) {
        leaves.add(leaf);
      }
    }
    return leaves.size() > 1
        ? Optional.of(QueueText.severalQueues(unit, leaves))
        : Optional.empty();
  }
}
