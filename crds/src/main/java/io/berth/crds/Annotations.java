package io.berth.crds;

/** The annotation and label keys that Berth reads and writes. */
public final class Annotations {

  /** On a pod: the name of the SchedulingPolicy that places it. */
  public static final String POLICY = "sched.cloud.ctrip.com/policy";

  /** On a pod: comma-separated names of NodeSchedulerConfigs to render into it. */
  public static final String NSC = "scb.sched.cloud.ctrip.com/nsc";

  /**
   * On a pod: the arguments of {@link #NSC} as a JSON object; of several configs, keyed by config
   * name.
   */
  public static final String NSC_ARGS = "scb.sched.cloud.ctrip.com/nsc-args";

  /** On a pod: comma-separated names of PodSchedulerConfigs to render into it. */
  public static final String PSC = "scb.sched.cloud.ctrip.com/psc";

  /**
   * On a pod: the arguments of {@link #PSC} as a JSON object; of several configs, keyed by config
   * name.
   */
  public static final String PSC_ARGS = "scb.sched.cloud.ctrip.com/psc-args";

  /**
   * Written on a pod by the webhook: which bindings, configs and revisions were applied. Never read
   * as truth.
   */
  public static final String APPLIED = "sched.cloud.ctrip.com/applied";

  /**
   * On a ConfigMap of the operator's namespace, "true": its data holds a policy in the old
   * Kubernetes kind: Policy format.
   */
  public static final String LEGACY_POLICY_LABEL = "sched.cloud.ctrip.com/policy";

  /**
   * On a PriorityClass, "NonPreemptible": its pods, once on a node, are not evicted for pods of
   * higher priority.
   */
  public static final String PREEMPTION_POLICY = "sched.cloud.ctrip.com/preemption-policy";

  /**
   * On a PriorityClass with {@link #PREEMPTION_POLICY}: the least priority of pods for which its
   * pods may be evicted all the same, a whole number.
   */
  public static final String PREEMPTIBLE_ABOVE = "sched.cloud.ctrip.com/preemptible-above";

  /** On a pod: the name of the group, in its namespace, with which it is placed. */
  public static final String GROUP = "sched.cloud.ctrip.com/group";

  /**
   * On a pod whose binding makes groups of owners: the number of pods that its owner runs at a
   * time, for owners of which Berth cannot know it.
   */
  public static final String GROUP_SIZE = "sched.cloud.ctrip.com/group-size";

  /** On a pod of a {@link #GROUP}: how many of its pods have to be placed together, from 1. */
  public static final String GROUP_MIN = "sched.cloud.ctrip.com/group-min";

  /** On a pod of a {@link #GROUP}: the node label of which its pods are to share one value. */
  public static final String GROUP_TOPOLOGY = "sched.cloud.ctrip.com/group-topology";

  /** On a pod with a {@link #GROUP_TOPOLOGY}: "Required" or "Preferred"; Preferred if absent. */
  public static final String GROUP_TOPOLOGY_MODE = "sched.cloud.ctrip.com/group-topology-mode";

  /**
   * On a pod of a {@link #GROUP}: "Pod" or "Group", by which its pods are disrupted one by one or
   * all together; Pod if absent.
   */
  public static final String GROUP_DISRUPTION = "sched.cloud.ctrip.com/group-disruption";

  /**
   * On a pod of a {@link #GROUP} that is disrupted as a whole: how long it keeps its nodes while
   * others that it needs find none, as 10m.
   */
  public static final String GROUP_TIMEOUT = "sched.cloud.ctrip.com/group-timeout";

  /**
   * On a pod: how long it runs, as 2h. It may then use room that is promised to others for later.
   */
  public static final String EXPECTED_DURATION = "sched.cloud.ctrip.com/expected-duration";

  /**
   * On a pod: what it will really use, as a JSON object of quantities by resource, for
   * MostAvailable.
   */
  public static final String VIRTUAL_REQUEST = "sched.cloud.ctrip.com/virtual-request";

  /**
   * Written on a pod by the webhook where the pod is traced: the trace to which later spans belong,
   * as a W3C traceparent. A value that no replica of Berth has made is ignored.
   */
  public static final String TRACEPARENT = "sched.cloud.ctrip.com/traceparent";

  private Annotations() {}
}
