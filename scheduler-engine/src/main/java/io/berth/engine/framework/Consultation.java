package io.berth.engine.framework;

import java.time.Duration;

/**
 * Somebody outside of the engine whose advice a policy wants before it places a pod: an HTTP
 * extender, say. The engine does not wait for it; see {@link io.berth.engine.Consult}.
 */
public interface Consultation {
  /** The name by which messages, rejections and score tables mention it. */
  String name();

  /** Whether its advice is wanted for pods of this shape. */
  boolean concerns(PodShape shape);

  /** How long an answer may take; after that the attempt ends as one without advice. */
  Duration timeout();
}
