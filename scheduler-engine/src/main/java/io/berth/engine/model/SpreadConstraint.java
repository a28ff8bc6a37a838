package io.berth.engine.model;

/**
 * A rule for how evenly matching pods are spread over the values of a node label.
 *
 * @param hard true forbids a node that breaks the constraint (DoNotSchedule), false scores it lower
 *     (ScheduleAnyway)
 * @param selector the pods that count, {@code matchLabelKeys} already merged in; those of the pod's
 *     own namespace that are not terminating
 * @param minDomains fewer domains than this make the smallest count zero; 1 where absent
 * @param honorNodeAffinity only nodes count that the pod's own node selection admits
 * @param honorNodeTaints only nodes count whose taints the pod tolerates
 */
public record SpreadConstraint(
    int maxSkew,
    String topologyKey,
    boolean hard,
    LabelSelector selector,
    int minDomains,
    boolean honorNodeAffinity,
    boolean honorNodeTaints) {}
