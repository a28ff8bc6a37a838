package io.berth.crds;

/** Values of a pod's spec.schedulerName. */
public final class SchedulerNames {

  /** The pods that Berth places. */
  public static final String BERTH = "berth";

  /** The scheduler name that the API server sets if a pod names none. */
  public static final String KUBERNETES_DEFAULT = "default-scheduler";

  private SchedulerNames() {}
}
