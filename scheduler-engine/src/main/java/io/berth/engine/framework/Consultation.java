package io.berth.engine.framework;

import java.time.Duration;
import java.util.Optional;

/**
 * Somebody outside of the engine whose advice a policy wants before it places a pod: HTTP
 * extenders, say. The engine does not wait for it; see {@link io.berth.engine.Consult}.
 *
 * <p>A consultation is a value: equal ones ask the same of the same.
 */
public interface Consultation {
  /** The part of a decision that an advisor has a say in. */
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

  /** The part of it that is wanted for pods of this shape; empty for none. */
  Optional<? extends Consultation> forShape(PodShape shape);

  /** Returns whether it has a say in this. */
  boolean hasSayIn(Topic topic);

  /** The time limit of an answer; after that the attempt ends as one without advice. */
  Duration timeout();

  /**
   * The number of questions that may be open at a time. Further pods of the policy wait for their
   * turn, those of the highest priority first, and are asked about as the cluster is then.
   */
  int mostOpen();
}
