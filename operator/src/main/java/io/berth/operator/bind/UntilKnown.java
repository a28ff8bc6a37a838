package io.berth.operator.bind;

import io.berth.operator.api.Answer;
import io.berth.operator.api.ApiCalls;
import io.berth.operator.api.Backoff;
import io.berth.operator.api.FairCalls;

/**
 * Requests that are repeated as long as an answer does not say whether they were executed: a
 * request whose answer is lost may be executed later. Each must be for one version of an object, so
 * that at most one of its copies has an effect.
 *
 * @param attempts the number of copies after which an unknown outcome is reported
 */
record UntilKnown(ApiCalls api, FairCalls calls, Backoff backoff, int attempts) {

  /** Receives the last answer to a request. */
  @FunctionalInterface
  interface Outcome {
    /**
     * Receives the answer.
     *
     * @param answer the answer to the last copy, which does not reject it for the load of the
     *     server; {@link Answer#ambiguous} only if there were too many attempts
     * @param inDoubt whether an earlier copy may have been executed, or may still be
     */
    void known(Answer answer, boolean inDoubt);
  }

  /** Sends a request at the expense of a namespace. */
  void send(String namespace, FairCalls.Request request, Outcome outcome) {
    send(namespace, request, 1, false, outcome);
  }

  private void send(
      String namespace, FairCalls.Request request, int sending, boolean inDoubt, Outcome outcome) {
    calls.send(
        namespace,
        request,
        answer -> {
          boolean isGivenUp = answer.ambiguous() && sending >= attempts;
          if (!isGivenUp && (answer.throttled() || answer.ambiguous())) {
            api.later(
                backoff.pause(sending, answer.retryAfter(), api.random()),
                () ->
                    send(namespace, request, sending + 1, inDoubt || answer.ambiguous(), outcome));
          } else {
            outcome.known(answer, inDoubt);
          }
        });
  }
}
