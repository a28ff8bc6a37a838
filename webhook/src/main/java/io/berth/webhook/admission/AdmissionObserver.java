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
    /** Failed because of an internal error; pods and workloads are allowed without changes. */
    FAILED
  }

  /** Called when a review is complete. */
  void reviewed(AdmissionPath path, Verdict verdict);

  /** Called for each reason why a pod or an object was denied. */
  void denied(AdmissionPath path, ErrorCode code);

  /**
   * Called when a pod was admitted without part of its configuration because of an error in the
   * platform's configuration.
   */
  void platformMistake(PlatformMistake mistake);

  /** Called when a review failed because of an internal error. */
  void failed(AdmissionPath path, RuntimeException failure);

  /** Returns an observer that does nothing. */
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
