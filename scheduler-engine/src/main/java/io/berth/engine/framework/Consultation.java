package io.berth.engine.framework;

import java.time.Duration;
import java.util.Optional;

/**
 * An advisor outside the engine, such as an HTTP extender, that a policy consults before it places
 * a pod. The engine does not block while it waits for the answer; see {@link
 * io.berth.engine.api.AdviceRequest}.
 *
 * <p>A consultation is a value: equal consultations put the same questions to the same advisor.
 */
public interface Consultation {
  /** A part of a decision that an advisor can influence. */
  enum Topic {
    /** The nodes that may run the pod, among those that fit, and their scores. */
    NODES,
    /** The pods that may be evicted for the pod. */
    VICTIMS,
    /** The Binding of the pod, which the advisor makes itself. */
    BINDING
  }

  /** Returns the name of the advisor in messages. */
  String name();

  /**
   * Returns the part of the consultation that applies to pods of this shape; empty if none does.
   */
  Optional<? extends Consultation> forShape(PodShape shape);

  /** Returns whether the advisor takes part in this part of a decision. */
  boolean hasSayIn(Topic topic);

  /** Returns the time limit for an answer; after that, the attempt ends without advice. */
  Duration timeout();

  /**
   * Returns the maximum number of open questions. Further pods of the policy wait, in order of
   * priority. A question describes the cluster at the time when it is sent.
   */
  int mostOpen();
}
