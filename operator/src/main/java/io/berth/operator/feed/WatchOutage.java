package io.berth.operator.feed;

import java.time.Duration;

/**
 * A resource whose watch is failing.
 *
 * @param vital whether scheduling decisions depend on the resource
 * @param lasting the time since the API server last reported its state
 */
public record WatchOutage(WatchFailure failure, boolean vital, Duration lasting) {

  /** The failure and its duration. */
  public String text() {
    return failure.text() + " (not seen for " + lasting.toSeconds() + " s)";
  }
}
