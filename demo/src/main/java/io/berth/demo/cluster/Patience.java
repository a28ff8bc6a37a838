package io.berth.demo.cluster;

import java.time.Duration;

/** Waits for what happens elsewhere by asking again and again. */
public final class Patience {
  private static final Duration PAUSE = Duration.ofMillis(20);

  private Patience() {}

  /** A question that may fail to be asked. */
  @FunctionalInterface
  public interface Question {
    boolean holds() throws Exception;
  }

  /**
   * Asks until the answer is yes.
   *
   * @throws IllegalStateException with {@code otherwise} when the time is over
   */
  public static void until(Duration patience, Question question, String otherwise)
      throws InterruptedException {
    until(patience, PAUSE, question, otherwise);
  }

  /**
   * Asks until the answer is yes, pausing in between.
   *
   * @throws IllegalStateException with {@code otherwise} when the time is over
   */
  public static void until(Duration patience, Duration pause, Question question, String otherwise)
      throws InterruptedException {
    if (!within(patience, pause, question)) {
      throw new IllegalStateException(otherwise + " (waited " + patience.toSeconds() + " s)");
    }
  }

  /** Asks until the answer is yes or the time is over; whether it was yes. */
  public static boolean within(Duration patience, Question question) throws InterruptedException {
    return within(patience, PAUSE, question);
  }

  /** Asks until the answer is yes or the time is over, pausing in between; whether it was yes. */
  public static boolean within(Duration patience, Duration pause, Question question)
      throws InterruptedException {
    long end = System.nanoTime() + patience.toNanos();
    Exception last = null;
    do {
      try {
        if (question.holds()) {
          return true;
        }
        last = null;
      } catch (InterruptedException e) {
        throw e;
      } catch (Exception e) {
        last = e;
      }
      Thread.sleep(pause);
    } while (System.nanoTime() < end);
    if (last != null) {
      throw new IllegalStateException("still failing at the end: " + last.getMessage(), last);
    }
    return false;
  }
}
