package io.berth.crds;

/** The annotation and label keys that Berth reads and writes. */
public final class Annotations {

  /** On a pod: the name of the SchedulingPolicy that places it. */
  public static final String POLICY = "sched.cloud.ctrip.com/policy";

  /** On a pod: comma-separated names of NodeSchedulerConfigs to render into it. */
  public static final String NSC = "scb.sched.cloud.ctrip.com/nsc";

  /**
   * On a pod: the arguments of {@link #NSC} as a JSON object, keyed by config name if there are
   * several configs.
   */
  public static final String NSC_ARGS = "scb.sched.cloud.ctrip.com/nsc-args";

  /** On a pod: comma-separated names of PodSchedulerConfigs to render into it. */
  public static final String PSC = "scb.sched.cloud.ctrip.com/psc";

  /**
   * On a pod: the arguments of {@link #PSC} as a JSON object, keyed by config name if there are
   * several configs.
   */
  public static final String PSC_ARGS = "scb.sched.cloud.ctrip.com/psc-args";

  /**
   * Written on a pod by the webhook: the bindings, configs, and revisions that were applied. It is
   * informational; Berth does not rely on it.
   */
  public static final String APPLIED = "sched.cloud.ctrip.com/applied";

  /**
   * On a ConfigMap in the operator's namespace, with the value "true": the ConfigMap contains a
   * policy in the legacy {@code kind: Policy} format of Kubernetes.
   */
  public static final String LEGACY_POLICY_LABEL = "sched.cloud.ctrip.com/policy";

  /**
   * On a ConfigMap with a legacy policy: the names of the namespaces that may use it, separated by
   * commas. Without it, all namespaces may.
   */
  public static final String ALLOWED_NAMESPACES = "sched.cloud.ctrip.com/allowed-namespaces";

  /**
   * On a PriorityClass, with the value "NonPreemptible": pods of the class that are bound to a node
   * are not evicted for pods of higher priority.
   */
  public static final String PREEMPTION_POLICY = "sched.cloud.ctrip.com/preemption-policy";

  /**
   * On a PriorityClass with {@link #PREEMPTION_POLICY}: the lowest priority, as an integer, of pods
   * for which pods of the class may be evicted nevertheless.
   */
  public static final String PREEMPTIBLE_ABOVE = "sched.cloud.ctrip.com/preemptible-above";

  /** Label on a pod: the name of its SchedulingQueue, which has to admit its namespace. */
  public static final String QUEUE_LABEL = "sched.cloud.ctrip.com/queue";

  /** On a pod: the name of its group, which is local to its namespace. */
  public static final String GROUP = "sched.cloud.ctrip.com/group";

  /**
   * On a pod whose binding groups pods by owner: the number of pods that the owner runs at a time,
   * for owners whose size Berth cannot determine.
   */
  public static final String GROUP_SIZE = "sched.cloud.ctrip.com/group-size";

  /**
   * On a pod of a {@link #GROUP}: the minimum number of its pods that must be placed together, at
   * least 1.
   */
  public static final String GROUP_MIN = "sched.cloud.ctrip.com/group-min";

  /**
   * On a pod of a {@link #GROUP}: the node label whose values are the topology domains of the
   * group.
   */
  public static final String GROUP_TOPOLOGY = "sched.cloud.ctrip.com/group-topology";

  /** On a pod with a {@link #GROUP_TOPOLOGY}: "Required" or "Preferred"; defaults to Preferred. */
  public static final String GROUP_TOPOLOGY_MODE = "sched.cloud.ctrip.com/group-topology-mode";

  /**
   * On a pod of a {@link #GROUP}: "Pod" if its pods may be disrupted one by one, "Group" if only
   * all together; defaults to Pod.
   */
  public static final String GROUP_DISRUPTION = "sched.cloud.ctrip.com/group-disruption";

  /**
   * On a pod of a {@link #GROUP} that is disrupted as a whole: the duration, such as 10m, for which
   * the group keeps its nodes while it is incomplete.
   */
  public static final String GROUP_TIMEOUT = "sched.cloud.ctrip.com/group-timeout";

  /**
   * On a pod: its expected running time, such as 2h. The pod may then use capacity that is reserved
   * for other pods at a later time.
   */
  public static final String EXPECTED_DURATION = "sched.cloud.ctrip.com/expected-duration";

  /**
   * On a pod: its expected actual usage, as a JSON object of quantities keyed by resource, for
   * MostAvailable.
   */
  public static final String VIRTUAL_REQUEST = "sched.cloud.ctrip.com/virtual-request";

  /**
   * Written by the webhook on a pod that is traced: the parent of its later spans, as a W3C
   * traceparent. Values that were not created by a replica of Berth are ignored.
   */
  public static final String TRACEPARENT = "sched.cloud.ctrip.com/traceparent";

  /** Kubernetes' mark of a mirror pod, which stands for a static pod of a kubelet. */
  public static final String MIRROR_POD = "kubernetes.io/config.mirror";

  private Annotations() {}
}
