package io.berth.crds;

/** Values of a pod's spec.schedulerName. */
public final class SchedulerNames {

  /** The name of Berth. */
  public static final String BERTH = "berth";

  /** The scheduler name that the API server sets by default. */
  public static final String KUBERNETES_DEFAULT = "default-scheduler";

  private SchedulerNames() {}
}
