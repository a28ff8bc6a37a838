package io.berth.operator.reconcile;

import io.berth.crds.ConfigStatus;
import io.berth.crds.PodSchedulerConfig;

/** Maintains the status of PodSchedulerConfigs. */
final class PodConfigReconciler extends StatusReconciler<PodSchedulerConfig, ConfigStatus> {

  private final ConfigStatuses statuses;

  PodConfigReconciler(ConfigStatuses statuses, StatusFailures failures) {
    super(PodSchedulerConfig::new, failures);
    this.statuses = statuses;
  }

  @Override
  ConfigStatus status(PodSchedulerConfig config) {
    return statuses.of(config);
  }
}
