package io.berth.crds;

/** Values of a pod's spec.schedulerName. */
public final class SchedulerNames {

  /** The pods that Berth places. */
  public static final String BERTH = "berth";

  /** What the API server writes where a pod names no scheduler. */
  public static final String KUBERNETES_DEFAULT = "default-scheduler";

  private SchedulerNames() {}
}
