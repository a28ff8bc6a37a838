package io.berth.engine.framework;

import java.time.Duration;
import java.util.Optional;

/**
 * An advisor outside of the engine, such as HTTP extenders, that a policy asks before it places a
 * pod. The engine does not wait for the answer; see {@link io.berth.engine.Consult}.
 *
 * <p>A consultation is a value: equal consultations are the same questions to the same advisor.
 */
public interface Consultation {
  /** The part of a decision that an advisor takes part in. */
  enum Topic {
    /** The nodes that may take the pod among those that fit, and their scores. */
    NODES,
    /** The pods that may be evicted for the pod. */
    VICTIMS,
    /** The Binding of the pod, which the advisor makes itself. */
    BINDING
  }

  /** The name by which messages mention it. */
  String name();

  /** The part of the consultation that applies to pods of this shape; empty if none does. */
  Optional<? extends Consultation> forShape(PodShape shape);

  /** Returns whether it takes part in this part of a decision. */
  boolean hasSayIn(Topic topic);

  /** The time limit of an answer; after that the attempt ends as one without advice. */
  Duration timeout();

  /**
   * The number of questions that may be open at a time. Further pods of the policy wait, in order
   * of priority. Their questions describe the cluster at the time when they are sent.
   */
  int mostOpen();
}
