package io.berth.webhook.admission;

import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.Problem;

/**
 * An error in the platform's configuration, which its operators must fix; the pod is admitted
 * without the affected part.
 *
 * @param culprit the object to look at, such as {@code SchedulerConfigBinding team-data/spark}
 * @param message what is wrong, and what was therefore not done
 */
public record PlatformMistake(ErrorCode code, String culprit, String message) {

  /** The warning that the creator of the pod gets. */
  Problem warning() {
    return new Problem(code, culprit, message);
  }

  /** All of it in one line. */
  public String text() {
    return warning().text();
  }
}
