package io.berth.webhook.admission;

/** The API server did not say whether an object exists. */
public final class LookupFailedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * Says why.
   *
   * @param message what was asked and what came instead of an answer
   */
  public LookupFailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
