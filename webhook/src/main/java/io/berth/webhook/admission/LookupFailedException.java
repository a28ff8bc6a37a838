package io.berth.webhook.admission;

/** Thrown if the API server did not report whether an object exists. */
public final class LookupFailedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates an exception with its reason.
   *
   * @param message what was asked and what came instead of an answer
   */
  public LookupFailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
