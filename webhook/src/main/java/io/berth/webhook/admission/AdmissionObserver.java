package io.berth.webhook.admission;

import io.berth.webhook.error.ErrorCode;

/**
 * Observes the decisions of the webhook, for metrics. Called on request threads; implementations
 * must return quickly and must not throw.
 */
public interface AdmissionObserver {

  /** The result of a review. */
  enum Verdict {
    /** Allowed without changes. */
    UNCHANGED,
    /** Allowed with a patch. */
    CHANGED,
    /** Refused. */
    DENIED,
    /** Allowed because Berth itself failed. */
    FAILED
  }

  /** A review was decided. */
  void reviewed(AdmissionPath path, Verdict verdict);

  /** A pod or an object was denied for this reason; one of possibly several. */
  void denied(AdmissionPath path, ErrorCode code);

  /**
   * Called when a pod was admitted without part of its configuration because of an error in the
   * platform's configuration.
   */
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
