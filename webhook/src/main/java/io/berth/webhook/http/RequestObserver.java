package io.berth.webhook.http;

/**
 * Observes every request, for metrics. Called on request threads; implementations must return
 * quickly and must not throw.
 */
@FunctionalInterface
public interface RequestObserver {

  /**
   * A request was answered.
   *
   * @param path the path, or {@code other} where it is none of the webhook's
   * @param status the HTTP status
   * @param nanos from the first byte of the body wanted to the last byte of the answer given, in
   *     nanoseconds
   */
  void answered(String path, int status, long nanos);

  /** An observer that does nothing. */
  static RequestObserver none() {
    return (path, status, nanos) -> {};
  }
}
