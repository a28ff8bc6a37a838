package io.berth.engine.api;

import io.berth.engine.model.PodRef;

/** Thrown if an attempt failed and could not be undone: the state of the engine may be wrong. */
public final class EngineFailedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient PodRef pod;

  public EngineFailedException(PodRef pod, Throwable cause) {
    super("the attempt to place pod " + pod + " failed and could not be undone: " + cause, cause);
    this.pod = pod;
  }

  /** Returns the pod whose attempt failed. */
  public PodRef pod() {
    return pod;
  }
}
