package io.berth.sandbox.admission;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Sets the API defaults of pods and pod templates, in place. The server calls it for pods and for
 * the pod template of every workload kind; it applies the other defaults of those kinds itself.
 */
public interface PodDefaults {

  /**
   * Applies the defaults of a pod that is being created: its spec, and the phase, conditions, and
   * qosClass of its status.
   */
  void applyToPod(ObjectNode pod);

  /** Applies the defaults of a PodTemplateSpec. */
  void applyToTemplate(ObjectNode template);
}
