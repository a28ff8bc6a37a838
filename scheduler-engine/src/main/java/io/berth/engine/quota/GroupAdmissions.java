package io.berth.engine.quota;

import io.berth.engine.api.GroupState;
import io.berth.engine.model.GroupDialect;
import io.berth.engine.model.GroupModel;
import io.berth.engine.model.QueueDialect;
import io.berth.engine.model.QueueModel;
import io.berth.engine.model.QueueRef;
import io.berth.engine.model.ResourceAmounts;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.GroupEntry;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;

/**
 * The groups of Volcano whose pods may be created: those whose minimum resources fit into the
 * limits of their queue and of the queues above, beside what these use and have reserved.
 *
 * <p>A group that was admitted has a reservation until all pods of its minimum exist and were
 * tried: from then on, they count themselves, or wait for something else than their queue. Groups
 * are tried by priority, then by age. One that does not fit reserves nothing, so it holds back no
 * other group.
 */
final class GroupAdmissions {
  private static final Comparator<QueueHead> ORDER =
      Comparator.comparingInt(QueueHead::priority)
          .reversed()
          .thenComparing(candidate -> candidate.model().admission().createdAt())
          .thenComparing(candidate -> candidate.model().ref().key());

  /** A group that was not admitted, with its place in the list of states. */
  private record QueueHead(int place, GroupModel model, int priority) {}

  private final ClusterState state;
  private final QueueTree queues;
  private final IdentityHashMap<QueueNode, long[]> reserved = new IdentityHashMap<>();

  GroupAdmissions(ClusterState state, QueueTree queues) {
    this.state = state;
    this.queues = queues;
  }

  /** Returns the states of groups, with the reasons why some of them are not admitted. */
  List<GroupState> of(List<GroupState> states) {
    List<QueueHead> waiting = new ArrayList<>();
    for (int i = 0; i < states.size(); i++) {
      GroupState group = states.get(i);
      GroupModel model = group.model().orElse(null);
      if (model == null || !needsAdmission(model)) {
        continue;
      }
      if (!model.admission().admitted() && hasNoPods(group)) {
        int priority = state.groups().find(model.ref()).map(GroupEntry::priority).orElse(0);
        waiting.add(new QueueHead(i, model, priority));
      } else if (holdsReservation(group, model)) {
        leafOf(model).ifPresent(leaf -> reserve(leaf, amounts(model)));
      }
    }
    List<GroupState> result = new ArrayList<>(states);
    waiting.sort(ORDER);
    for (QueueHead candidate : waiting) {
      admit(candidate.model())
          .ifPresent(
              reason ->
                  result.set(candidate.place(), states.get(candidate.place()).heldBack(reason)));
    }
    return result;
  }

  private static boolean needsAdmission(GroupModel model) {
    return model.ref().dialect() == GroupDialect.VOLCANO
        && !model.queue().isEmpty()
        && model.minResources().size() > 0;
  }

  private static boolean hasNoPods(GroupState group) {
    return group.existing() == 0 && group.pods().waiting() == 0;
  }

  private static boolean holdsReservation(GroupState group, GroupModel model) {
    boolean tried = group.existing() >= model.minimum() && group.pods().informed();
    return group.phase() != GroupState.Phase.PLACED
        && group.placed() + group.succeeded() == 0
        && !tried;
  }

  private static QueueRef queueOf(GroupModel model) {
    return new QueueRef(QueueDialect.VOLCANO, model.queue());
  }

  private Optional<QueueNode> leafOf(GroupModel model) {
    return queues.named(queueOf(model), model.ref().namespace(), state.namespaces());
  }

  /** Returns what the minimum of a group requests, which counts its pods too. */
  private long[] amounts(GroupModel model) {
    CountedResources resources = queues.resources();
    long[] amounts = resources.amounts(model.minResources());
    for (int i = 0; i < amounts.length; i++) {
      long least = resources.name(i).equals(ResourceAmounts.PODS) ? model.minimum() : 0;
      amounts[i] = Math.clamp(amounts[i], least, QueueModel.EVERYTHING);
    }
    return amounts;
  }

  /** Reserves resources for a group; returns why it cannot, if so. */
  private Optional<String> admit(GroupModel model) {
    Optional<QueueNode> leaf = leafOf(model);
    if (leaf.isEmpty()) {
      return Optional.of(QueueText.notAdmitted(queueOf(model), model.ref().namespace()));
    }
    long[] asked = amounts(model);
    for (QueueNode node = leaf.get(); node.parent != null; node = node.parent) {
      if (!node.open) {
        return Optional.of(QueueText.closed(node));
      }
      long[] others = reservedIn(node);
      for (int i = 0; i < asked.length; i++) {
        if (!AmountVectors.fits(i, asked, node.limit[i], node.charged[i] + others[i])) {
          return Optional.of(new QueueText(queues.resources()).notAdmitted(node, asked, others));
        }
      }
    }
    reserve(leaf.get(), asked);
    return Optional.empty();
  }

  private long[] reservedIn(QueueNode node) {
    return reserved.computeIfAbsent(node, absent -> new long[queues.resources().size()]);
  }

  private void reserve(QueueNode leaf, long[] amounts) {
    for (QueueNode node = leaf; node.parent != null; node = node.parent) {
      long[] sum = reservedIn(node);
      for (int i = 0; i < sum.length; i++) {
        sum[i] = Math.min(sum[i] + amounts[i], QueueModel.EVERYTHING);
      }
    }
  }
}
