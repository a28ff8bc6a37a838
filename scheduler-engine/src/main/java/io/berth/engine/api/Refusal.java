package io.berth.engine.api;

import io.berth.engine.decision.BoundedText;
import io.berth.engine.model.PodRef;
import java.util.Optional;

/**
 * An object, or a part of one, that the engine rejected; its previous knowledge of the object still
 * applies.
 *
 * @param name the name, with the namespace if there is one
 * @param reason what is wrong, where in the object, and what was expected; of bounded length
 * @param pending the pod, if it is pending for this engine and cannot be placed as it is
 */
public record Refusal(String kind, String name, String reason, Optional<PodRef> pending) {
  public Refusal {
    reason = BoundedText.cut(reason);
  }

  /** Creates a refusal of an object that is not a pending pod. */
  public Refusal(String kind, String name, String reason) {
    this(kind, name, reason, Optional.empty());
  }

  /** Returns the same refusal, for a pod that is pending for this engine. */
  public Refusal ofPending(PodRef pod) {
    return new Refusal(kind, name, reason, Optional.of(pod));
  }
}
