package io.berth.engine;

import java.util.Optional;

/**
 * An object, or a part of one, that the engine would not take in; what it knew of the object before
 * still holds.
 *
 * @param name with the namespace where there is one
 * @param reason what is wrong, where in the object, and what was expected; of bounded length
 * @param pending the pod, where it is one that waits for this engine and cannot be placed as it is
 */
public record Refusal(String kind, String name, String reason, Optional<PodRef> pending) {
  public Refusal {
    reason = BoundedText.cut(reason);
  }

  /** A refusal of anything but a pod that waits. */
  public Refusal(String kind, String name, String reason) {
    this(kind, name, reason, Optional.empty());
  }

  /** The same, of a pod that waits for this engine. */
  Refusal ofPending(PodRef pod) {
    return new Refusal(kind, name, reason, Optional.of(pod));
  }
}
