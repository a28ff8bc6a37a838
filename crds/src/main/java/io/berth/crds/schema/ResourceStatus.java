package io.berth.crds.schema;

import io.fabric8.kubernetes.api.model.Condition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The status fields that all kinds have. {@code kubectl get} shows the condition Ready of each: its
 * status as READY, its reason as REASON, and with {@code -o wide} its message as MESSAGE.
 */
public interface ResourceStatus {

  /**
   * Returns the metadata.generation that was last observed; null before the first reconciliation.
   */
  @Nullable Long observedGeneration();

  /** Returns the conditions, one per type; empty before the first reconciliation. */
  List<Condition> conditions();
}
