package io.berth.operator.feed;

import java.time.Duration;

/**
 * A kind that cannot be seen now.
 *
 * @param vital whether a leader must see it to decide well
 * @param lasting since it was last seen
 */
public record Blindness(WatchFailure failure, boolean vital, Duration lasting) {

  /** The failure and how long it has lasted. */
  public String text() {
    return failure.text() + " (not seen for " + lasting.toSeconds() + " s)";
  }
}
