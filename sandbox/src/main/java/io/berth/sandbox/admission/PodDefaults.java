package io.berth.sandbox.admission;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * The defaults that the API gives to pods, in place. The server calls it for pods and, for every
 * kind with a pod template, for the template; those kinds' own defaults are the server's.
 */
public interface PodDefaults {

  /**
   * Defaults of a whole pod, as a create stores it: spec, and the phase, conditions and qosClass of
   * its status.
   */
  void applyToPod(ObjectNode pod);

  /** Defaults of a PodTemplateSpec. */
  void applyToTemplate(ObjectNode template);
}
