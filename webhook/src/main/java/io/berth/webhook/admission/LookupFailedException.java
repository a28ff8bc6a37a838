package io.berth.webhook.admission;

/** Thrown if a look-up could not determine whether an object exists. */
public final class LookupFailedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates an exception for a look-up that was not made.
   *
   * @param message the reason
   */
  public LookupFailedException(String message) {
    super(message);
  }

  /**
   * Creates an exception with its cause.
   *
   * @param message the request and its result
   */
  public LookupFailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
