package io.berth.serving.http;

/**
 * Observes every request, for metrics. Called on request threads; implementations must return
 * quickly and must not throw.
 */
@FunctionalInterface
public interface RequestObserver {

  /**
   * Called when a response was sent or could not be sent.
   *
   * @param path the path, or {@code other} for unknown paths
   * @param status the HTTP status
   * @param nanos the time from the header of the request to the end of the response, in nanoseconds
   */
  void answered(String path, int status, long nanos);

  /** Returns an observer that does nothing. */
  static RequestObserver none() {
    return (path, status, nanos) -> {};
  }
}
