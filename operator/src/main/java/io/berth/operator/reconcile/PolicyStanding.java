package io.berth.operator.reconcile;

import io.berth.operator.policy.PolicyState;
import io.berth.operator.reconcile.Conditions.Finding;
import io.berth.webhook.error.Problem;
import java.util.stream.Collectors;

/** Describes the state of a policy, as text for its condition Ready or for an event. */
final class PolicyStanding {

  static final String LAST_GOOD_SERVES = "LastGoodServes";
  static final String INVALID = "Invalid";
  static final String PENDING = "Pending";
  static final String SERVING = "Serving";

  private PolicyStanding() {}

  /**
   * Returns the finding.
   *
   * @param note the message for a policy that serves as written
   */
  static Finding of(PolicyState state, String note) {
    if (!state.problems().isEmpty()) {
      String problems =
          state.problems().stream().map(Problem::text).collect(Collectors.joining("\n"));
      return state
          .serving()
          .map(
              serving ->
                  new Finding(
                      false,
                      LAST_GOOD_SERVES,
                      "revision %s is invalid, revision %s stays in use:\n%s"
                          .formatted(state.latest(), serving, problems)))
          .orElseGet(
              () ->
                  new Finding(
                      false,
                      INVALID,
                      "revision %s is invalid, and there is no earlier revision; pods that name this policy stay pending, and bindings that name it have no effect:\n%s"
                          .formatted(state.latest(), problems)));
    }
    if (!state.serving().filter(state.latest()::equals).isPresent()) {
      return new Finding(
          false, PENDING, "revision " + state.latest() + " has not been loaded by the engine yet");
    }
    return new Finding(true, SERVING, note);
  }
}
