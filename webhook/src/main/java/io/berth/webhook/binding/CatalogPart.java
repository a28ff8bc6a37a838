package io.berth.webhook.binding;

/** A part of the catalog that can be out of date independently of the others. */
public enum CatalogPart {
  /** The bindings in a pod's namespace and in the operator's namespace. */
  BINDINGS,
  /** All NodeSchedulerConfigs. */
  NODE_CONFIGS,
  /** All PodSchedulerConfigs. */
  POD_CONFIGS,
  /** All SchedulingPolicies and legacy policies. */
  POLICIES,
  /** All SchedulingQueues. */
  QUEUES,
  /** The labels of a namespace. */
  NAMESPACE
}
