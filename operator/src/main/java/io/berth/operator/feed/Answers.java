package io.berth.operator.feed;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** Waits for answers of the API server, never longer than a limit. */
final class Answers {

  private Answers() {}

  /**
   * Waits for an answer.
   *
   * @param release lets go of an answer that comes when nobody waits for it any more
   * @throws IOException when there is none within the limit
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

  /** The words of what went wrong first. */
  static String reason(Throwable failure) {
    Throwable cause = failure;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause.getMessage() == null ? cause.toString() : cause.getMessage();
  }
}
