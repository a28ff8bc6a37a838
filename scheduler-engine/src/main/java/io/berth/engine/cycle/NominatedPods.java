package io.berth.engine.cycle;

import io.berth.engine.queue.Nominations;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.PodEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The pods that are nominated for a node, as far as another pod must leave them room. */
public final class NominatedPods {
  private NominatedPods() {}

  /**
   * Returns the pods that are nominated for the node, do not run yet, and are not outranked by the
   * pod, in turn; not those that start only after the pod has left, by its declared run time. The
   * caller may change the list unless it is empty.
   */
  public static List<PodEntry> notOutrankedBy(
      PodEntry pod, String nodeName, ClusterState state, Nominations nominations) {
    Set<String> nominated = nominations.podsOn(nodeName);
    if (nominated.isEmpty()) {
      return List.of();
    }
    List<PodEntry> others = new ArrayList<>();
    for (String uid : nominated) {
      PodEntry other = state.pods().byUid(uid);
      if (other != null
          && other != pod
          && other.slot() == PodEntry.NOWHERE
          && !state.evictionOrder().outranks(pod, other)
          && !nominations.leavesInTime(pod.model().runTime(), uid)) {
        others.add(other);
      }
    }
    others.sort(PodEntry.IN_TURN);
    return others;
  }
}
