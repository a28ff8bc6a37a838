package io.berth.engine.model;

/**
 * A topology spread constraint: a rule for the distribution of matching pods over the values of a
 * node label.
 *
 * @param hard true forbids a node that breaks the constraint (DoNotSchedule), false scores it lower
 *     (ScheduleAnyway)
 * @param selector selects the pods that count, with {@code matchLabelKeys} merged in; only pods of
 *     the same namespace that are not terminating count
 * @param minDomains if there are fewer domains than this, the smallest count is zero; 1 by default
 * @param honorNodeAffinity whether only nodes count that match the pod's node selector and affinity
 * @param honorNodeTaints whether only nodes count whose taints the pod tolerates
 */
public record SpreadConstraint(
    int maxSkew,
    String topologyKey,
    boolean hard,
    LabelSelector selector,
    int minDomains,
    boolean honorNodeAffinity,
    boolean honorNodeTaints) {}
