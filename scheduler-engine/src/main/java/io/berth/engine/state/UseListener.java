package io.berth.engine.state;

/** Learns of pods that take or release resources of the cluster. */
public interface UseListener {
  /** A listener that does nothing. */
  UseListener NONE = pod -> {};

  /**
   * Records that the pod may have begun or ceased to use resources: it was bound, assumed, or
   * removed, was selected as a victim, or has changed. Called again when the change is undone.
   */
  void useChanged(PodEntry pod);
}
