package io.berth.operator.feed;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** Waits for API server responses with a time limit. */
final class ResponseWait {

  private ResponseWait() {}

  /**
   * Waits for a response.
   *
   * @param release releases a response that arrives after the wait has ended
   * @throws IOException when there is no response within the limit
   */
  static <A> A await(CompletableFuture<A> answer, Duration limit, Consumer<A> release)
      throws IOException, InterruptedException {
    boolean taken = false;
    try {
      A got = answer.get(limit.toMillis(), TimeUnit.MILLISECONDS);
      taken = true;
      return got;
    } catch (TimeoutException e) {
      throw new IOException("no answer within " + limit.toSeconds() + " s", e);
    } catch (ExecutionException e) {
      throw new IOException("no answer: " + reason(e), e);
    } finally {
      if (!taken) {
        var _ = answer.thenAccept(release);
      }
    }
  }

  /** Returns the message of the root cause. */
  static String reason(Throwable failure) {
    Throwable cause = failure;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause.getMessage() == null ? cause.toString() : cause.getMessage();
  }
}
