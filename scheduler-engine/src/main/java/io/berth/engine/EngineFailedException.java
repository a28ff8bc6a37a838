package io.berth.engine;

/** An attempt failed and could not be undone: what the engine knows may be wrong from now on. */
public final class EngineFailedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient PodRef pod;

  EngineFailedException(PodRef pod, Throwable cause) {
    super("the attempt to place pod " + pod + " failed and could not be undone: " + cause, cause);
    this.pod = pod;
  }

  /** The pod on which it failed. */
  public PodRef pod() {
    return pod;
  }
}
