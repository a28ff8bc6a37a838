package io.berth.webhook.admission;

/** Thrown if a request body is not an AdmissionReview; the message is for the client. */
public final class BadReviewException extends Exception {
  private static final long serialVersionUID = 1L;

  BadReviewException(String message) {
    super(message);
  }
}
