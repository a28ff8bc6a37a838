package io.berth.webhook.binding;

/** A part of the catalog that can be out of date by itself. */
public enum CatalogPart {
  /** The bindings of a namespace, and those of the operator's. */
  BINDINGS,
  /** All NodeSchedulerConfigs. */
  NODE_CONFIGS,
  /** All PodSchedulerConfigs. */
  POD_CONFIGS,
  /** All SchedulingPolicies and legacy policies. */
  POLICIES,
  /** The labels of a namespace. */
  NAMESPACE
}
