package io.berth.operator.feed;

import java.time.Duration;

/**
 * A resource whose watch is failing.
 *
 * @param vital whether scheduling decisions depend on the resource
 * @param served whether the API server has served the resource during this process
 * @param lasting the time since the API server last reported its state, or that it does not serve
 *     it
 */
public record WatchOutage(WatchFailure failure, boolean vital, boolean served, Duration lasting) {

  /** The failure and its duration. */
  public String text() {
    return failure.text()
        + " (not "
        + (served ? "seen" : "served before; no answer")
        + " for "
        + lasting.toSeconds()
        + " s)";
  }

  /**
   * Returns whether the API server says that it does not serve the resource any more. Its last
   * objects are then as good as any: nobody can change them.
   */
  public boolean isUnserved() {
    return failure.reason().equals(WatchFailure.NOT_FOUND);
  }
}
