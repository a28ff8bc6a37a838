package io.berth.operator.reconcile;

import io.berth.crds.ConfigStatus;
import io.berth.crds.NodeSchedulerConfig;

/** Maintains the status of NodeSchedulerConfigs. */
final class NodeConfigReconciler extends StatusReconciler<NodeSchedulerConfig, ConfigStatus> {

  private final ConfigStatuses statuses;

  NodeConfigReconciler(ConfigStatuses statuses, StatusFailures failures) {
    super(NodeSchedulerConfig::new, failures);
    this.statuses = statuses;
  }

  @Override
  ConfigStatus status(NodeSchedulerConfig config) {
    return statuses.of(config);
  }
}
