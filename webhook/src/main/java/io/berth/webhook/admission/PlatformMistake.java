package io.berth.webhook.admission;

import io.berth.webhook.binding.BindingKey;
import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.Problem;

/**
 * A problem on the platform's side, which the platform team must fix; the pod is admitted without
 * the affected part.
 *
 * @param culprit the object to look at, such as {@code SchedulerConfigBinding team-data/spark}
 * @param message the problem and its effect on the pod
 */
public record PlatformMistake(ErrorCode code, String culprit, String message) {

  /** Returns a mistake because of which a pod is admitted without a binding. */
  static PlatformMistake ofBinding(ErrorCode code, BindingKey binding, String message) {
    return new PlatformMistake(
        code,
        "SchedulerConfigBinding " + binding,
        message + "; the pod is admitted without this binding");
  }

  /** Returns the warning for the creator of the pod. */
  Problem warning() {
    return new Problem(code, culprit, message);
  }

  /** Returns code, object, and message as one line. */
  public String text() {
    return warning().text();
  }
}
