package io.berth.engine.model;

/**
 * A resource claim of a pod. Claims that are described by their content alone belong to the package
 * of devices.
 */
public interface PodClaim {
  /** Returns the name of the claim; empty if there is no claim of a known name. */
  default String claimName() {
    return "";
  }

  /** A claim that the pod names. */
  record Named(String claimName) implements PodClaim {}

  /**
   * A claim that was made from a template.
   *
   * @param madeFor the pod that must own it
   */
  record FromTemplate(String claimName, PodRef madeFor) implements PodClaim {}

  /**
   * A claim that has not been made from its template yet.
   *
   * @param madeFor the pod that waits for it
   */
  record Awaited(PodRef madeFor) implements PodClaim {}

  /**
   * A reference of a type that is not supported.
   *
   * @param name its name in the pod
   * @param in the pod
   */
  record Unknown(String name, PodRef in) implements PodClaim {}
}
