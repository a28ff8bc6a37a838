package io.berth.webhook.admission;

/** A body that is no AdmissionReview; the message is for its sender. */
public final class BadReviewException extends Exception {
  private static final long serialVersionUID = 1L;

  BadReviewException(String message) {
    super(message);
  }
}
