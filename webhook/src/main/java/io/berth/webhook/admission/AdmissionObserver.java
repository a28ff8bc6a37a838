package io.berth.webhook.admission;

import io.berth.webhook.error.ErrorCode;

/**
 * Hears what the webhook decides, for metrics. Called on request threads: be quick, and throw
 * nothing.
 */
public interface AdmissionObserver {

  /** The result of a review. */
  enum Verdict {
    /** Let pass as it was. */
    UNCHANGED,
    /** Let pass with a patch. */
    CHANGED,
    /** Refused. */
    DENIED,
    /** Let pass because Berth itself failed. */
    FAILED
  }

  /** A review was decided. */
  void reviewed(AdmissionPath path, Verdict verdict);

  /** A pod or an object was denied for this reason; one of possibly several. */
  void denied(AdmissionPath path, ErrorCode code);

  /** A pod was admitted without something, since the platform made a mistake. */
  void platformMistake(PlatformMistake mistake);

  /** Berth itself failed on a review. */
  void failed(AdmissionPath path, RuntimeException failure);

  /** An observer that does nothing. */
  static AdmissionObserver none() {
    return new AdmissionObserver() {
      @Override
      public void reviewed(AdmissionPath path, Verdict verdict) {}

      @Override
      public void denied(AdmissionPath path, ErrorCode code) {}

      @Override
      public void platformMistake(PlatformMistake mistake) {}

      @Override
      public void failed(AdmissionPath path, RuntimeException failure) {}
    };
  }
}
