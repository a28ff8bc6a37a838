package io.berth.operator.query;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.engine.whatif.Mirror;
import io.berth.operator.whatif.MirrorBusyException;
import io.berth.operator.whatif.MirrorThread;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** Answers on the mirror of this replica, with failures as the API server words them. */
final class MirrorAnswers {
  private final MirrorThread mirrors;

  MirrorAnswers(MirrorThread mirrors) {
    this.mirrors = mirrors;
  }

  /** A question about the state of a mirror; it leaves the mirror as it was. */
  @FunctionalInterface
  interface Question {
    /**
     * Returns the answer.
     *
     * @param expired returns whether the time for the answer has run out
     * @throws ApiException if the question is invalid
     */
    ObjectNode answer(Mirror mirror, BooleanSupplier expired) throws ApiException;
  }

  /** Prepares a question on the thread of the user's request. */
  @FunctionalInterface
  interface Preparation {
    /**
     * Returns the question.
     *
     * @throws InterruptedException if interrupted while waiting
     */
    Question prepare() throws InterruptedException;
  }

  /** An answer from the mirror's thread, or the failure to give one. */
  private record Outcome(Optional<ObjectNode> answer, Optional<ApiException> failure) {}

  /**
   * Answers a question.
   *
   * @throws ApiException if the question is invalid, or cannot be answered now
   */
  ObjectNode ask(ApiUser user, Question question) throws ApiException {
    return ask(user, () -> question);
  }

  /**
   * Prepares and answers a question. Both count as one question of the user.
   *
   * @throws ApiException if the question is invalid, or cannot be answered now
   */
  ObjectNode ask(ApiUser user, Preparation preparation) throws ApiException {
    Outcome outcome;
    try {
      outcome =
          mirrors.askPrepared(
              user.name(),
              () -> {
                Question question = preparation.prepare();
                return (mirror, expired) -> outcome(question, mirror, expired);
              });
    } catch (MirrorBusyException e) {
      throw new ApiException(e.isOfUser() ? 429 : 503, String.valueOf(e.getMessage()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ApiException(503, "this replica is shutting down; try again");
    } catch (RuntimeException e) {
      throw new ApiException(500, "the question failed; see Berth's log: " + e);
    }
    if (outcome.failure().isPresent()) {
      throw outcome.failure().get();
    }
    return outcome.answer().orElseThrow();
  }

  private static Outcome outcome(Question question, Mirror mirror, BooleanSupplier expired) {
    try {
      return new Outcome(Optional.of(question.answer(mirror, expired)), Optional.empty());
    } catch (ApiException e) {
      return new Outcome(Optional.empty(), Optional.of(e));
    }
  }
}
