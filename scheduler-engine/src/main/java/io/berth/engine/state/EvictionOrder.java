package io.berth.engine.state;

import io.berth.engine.time.Due;
import java.util.Comparator;
import java.util.List;

/**
 * Decides who may displace whom: the pods that a pod may evict, and the nominated pods whose
 * resources it may take. {@link PriorityOrder}, by priority alone, is kube-scheduler's order, and
 * the one of a cluster without queues.
 *
 * <p>An order decides only between pods. What protects a pod in any case, such as its
 * PriorityClass, and what limits evictions, such as the policy of the preemptor, come on top. It
 * does not decide either which of several permitted evictions costs least: nodes are compared by
 * the priorities of the victims, as in kube-scheduler, whatever the order.
 */
public interface EvictionOrder {
  /**
   * Returns whether the pod may take the resources that are reserved for the other. If not, it is
   * placed only where both fit.
   */
  boolean outranks(PodEntry pod, PodEntry other);

  /**
   * Returns whether resources that become free are reserved for the group before the other, and
   * instead of it; groups that do not outrank each other take turns. Priorities decide, also
   * between queues, because a reservation takes nothing from pods that run.
   */
  default boolean outranks(GroupEntry group, GroupEntry other) {
    return group.priority() > other.priority();
  }

  /** Returns whether the victim may be evicted for the preemptor. */
  boolean mayDisplace(PodEntry victim, PodEntry preemptor);

  /**
   * Returns whether there may be any pod that {@link #mayDisplace} allows; false only if there is
   * none.
   */
  boolean mayHaveVictims(PodEntry preemptor);

  /**
   * Returns whether some pod of this priority might displace the victim, whatever else is known of
   * it; true if in doubt.
   */
  boolean mightDisplace(PodEntry victim, int priority);

  /**
   * Returns whether the preemptor might displace any of some pods; true if in doubt.
   *
   * @param lowest the lowest priority of these pods
   */
  boolean mightDisplaceAnyOf(int lowest, PodEntry preemptor);

  /**
   * Returns whether the preemptor may displace exactly the pods of lower priority: at any time, any
   * of them together, and those that are spared first are the most important ones.
   */
  default boolean comparesOnlyPriorities(PodEntry preemptor) {
    return false;
  }

  /** Returns whether some pod of this priority might displace any pod; true if in doubt. */
  boolean mightDisplaceAny(int priority);

  /** Returns whether a pod that a scheduler has evicted may have been evicted for the preemptor. */
  default boolean mayHaveDisplaced(PodEntry victim, PodEntry preemptor) {
    return mightDisplace(victim, preemptor.priority());
  }

  /**
   * Returns the time from which the victim may be evicted for the preemptor, as far as the order
   * protects it; at once if it is not protected, never if the pod has not started.
   */
  default Due protectedUntil(PodEntry victim, PodEntry preemptor) {
    return Due.AT_ONCE;
  }

  /**
   * Returns those of the pods that may all be evicted together for the preemptor. Each of them may
   * be displaced alone.
   */
  default List<PodEntry> together(List<PodEntry> victims, PodEntry preemptor) {
    return victims;
  }

  /** Returns whether exactly these pods may be evicted together for the preemptor. */
  default boolean permits(List<PodEntry> victims, PodEntry preemptor) {
    return true;
  }

  /** Returns whether {@link #together} may leave out pods. */
  default boolean limitsTogether() {
    return false;
  }

  /**
   * Returns the order in which pods stay, those that stay first.
   *
   * @param importance the order among pods that are equal otherwise
   */
  default Comparator<PodEntry> sparedFirst(PodEntry preemptor, Comparator<PodEntry> importance) {
    return importance;
  }

  /**
   * Returns what the order reads of the preemptor and of the state beside its priority: answers for
   * preemptors with equal values are equal.
   */
  default Object kindOf(PodEntry preemptor) {
    return "";
  }
}
