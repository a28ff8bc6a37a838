package io.berth.engine.model;

import java.time.Duration;
import java.util.Map;
import java.util.Set;

/**
 * A queue of tenants: what its pods may use, and what is theirs whenever they need it.
 *
 * @param dialect the project whose object describes it
 * @param name its {@linkplain QueueRef#key name among the queues of all dialects}
 * @param parent the name of the queue that it is a part of; empty for none
 * @param guarantee the amounts that its pods get back from pods of other queues
 * @param limit the amounts that its pods never exceed together; resources that it does not name are
 *     unlimited
 * @param weight its share of what no queue has a guarantee for, relative to its siblings; at least
 *     1
 * @param priority its precedence over siblings for what no queue has a guarantee for
 * @param minRunTime the time for which its pods run before pods of other queues may displace them
 * @param namespaces the names of namespaces whose pods belong to it
 * @param selector selects further such namespaces by their labels
 * @param open whether its pods may start
 * @param reclaimable whether pods of other queues may displace its pods
 * @param pastShare the share that it had in the past, which counts for the choice of the next pod,
 *     and never gives a right to evict; 0 if the past does not count
 * @param scaleUp whether nodes are requested from cluster autoscalers for pods that its guarantee
 *     does not cover
 */
public record QueueModel(
    QueueDialect dialect,
    String name,
    String parent,
    ResourceAmounts guarantee,
    ResourceAmounts limit,
    int weight,
    int priority,
    Duration minRunTime,
    Set<String> namespaces,
    LabelSelector selector,
    boolean open,
    boolean reclaimable,
    double pastShare,
    boolean scaleUp) {
  /** An amount that no cluster has: a guarantee of everything. */
  public static final long EVERYTHING = Long.MAX_VALUE / 4;

  /** The label with which a pod chooses one of the queues that admit its namespace. */
  public static final String LABEL = "sched.cloud.ctrip.com/queue";

  /** The name of the queue of pods that belong to no other. */
  public static final String DEFAULT = "default";

  public QueueModel {
    namespaces = Set.copyOf(namespaces);
    if (weight < 1 || minRunTime.isNegative()) {
      throw new IllegalArgumentException(
          "queue " + name + " needs a weight of at least 1 and no negative minRunTime");
    }
    if (!Double.isFinite(pastShare) || pastShare < 0) {
      throw new IllegalArgumentException("the past share of queue " + name + " is " + pastShare);
    }
  }

  /** Creates a queue whose past does not count, and for whose pods nodes are requested. */
  public QueueModel(
      QueueDialect dialect,
      String name,
      String parent,
      ResourceAmounts guarantee,
      ResourceAmounts limit,
      int weight,
      int priority,
      Duration minRunTime,
      Set<String> namespaces,
      LabelSelector selector,
      boolean open,
      boolean reclaimable) {
    this(
        dialect,
        name,
        parent,
        guarantee,
        limit,
        weight,
        priority,
        minRunTime,
        namespaces,
        selector,
        open,
        reclaimable,
        0,
        true);
  }

  /** Creates a SchedulingQueue, which is open and reclaimable, and whose past does not count. */
  public QueueModel(
      String name,
      String parent,
      ResourceAmounts guarantee,
      ResourceAmounts limit,
      int weight,
      int priority,
      Duration minRunTime,
      Set<String> namespaces,
      LabelSelector selector) {
    this(
        QueueDialect.BERTH,
        name,
        parent,
        guarantee,
        limit,
        weight,
        priority,
        minRunTime,
        namespaces,
        selector,
        true,
        true);
  }

  /** Returns this queue with another past share. */
  public QueueModel withPastShare(double share) {
    return with(share, scaleUp);
  }

  /** Returns this queue, with or without requests of nodes for pods that borrow. */
  public QueueModel withScaleUp(boolean value) {
    return with(pastShare, value);
  }

  private QueueModel with(double share, boolean scalesUp) {
    return new QueueModel(
        dialect,
        name,
        parent,
        guarantee,
        limit,
        weight,
        priority,
        minRunTime,
        namespaces,
        selector,
        open,
        reclaimable,
        share,
        scalesUp);
  }

  /** Returns whether there may be namespaces whose pods belong to it without naming it. */
  public boolean admitsAny() {
    return !namespaces.isEmpty() || !selector.equals(LabelSelector.nothing());
  }

  /** Returns whether pods of the namespace with this name and these labels may belong to it. */
  public boolean admits(String namespace, Map<String, String> labels) {
    return namespaces.contains(namespace) || selector.matches(labels);
  }
}
