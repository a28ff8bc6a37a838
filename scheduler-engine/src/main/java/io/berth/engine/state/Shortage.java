package io.berth.engine.state;

import java.util.List;

/**
 * The resources of a node that a pod lacks because other pods hold them, of a kind where sparing
 * pods one by one can leave one of them on each part of the resources. It guides the search for the
 * fewest pods to evict.
 */
public interface Shortage {
  /** The bound if no departure helps. */
  int HOPELESS = Integer.MAX_VALUE;

  /** Begins a search: these pods may leave, and hold what they hold now. */
  void begin(List<PodEntry> mayLeave);

  /**
   * Returns a lower bound of the number of these pods that have to leave the node before the pod
   * has what it needs, for the current state of the node; 0 if it may have it already, {@link
   * #HOPELESS} if no departure helps.
   */
  int fewest(List<PodEntry> mayLeave);

  /** Returns whether the pod holds some of the resources, so that its departure may help. */
  boolean isHeldBy(PodEntry pod);

  /** Returns whether both pods hold the same of the resources. */
  boolean holdTheSame(PodEntry one, PodEntry other);
}
