package io.berth.demo.cluster;

import java.time.Duration;

/** Polling until a condition holds or a timeout expires. */
public final class Patience {
  private static final Duration PAUSE = Duration.ofMillis(20);

  private Patience() {}

  /** A condition whose evaluation may fail. */
  @FunctionalInterface
  public interface Question {
    boolean holds() throws Exception;
  }

  /**
   * Polls every 20 ms until the condition holds.
   *
   * @throws IllegalStateException with the message {@code otherwise} if the timeout expires
   */
  public static void until(Duration patience, Question question, String otherwise)
      throws InterruptedException {
    until(patience, PAUSE, question, otherwise);
  }

  /**
   * Polls with the given pause until the condition holds.
   *
   * @throws IllegalStateException with the message {@code otherwise} if the timeout expires
   */
  public static void until(Duration patience, Duration pause, Question question, String otherwise)
      throws InterruptedException {
    if (!within(patience, pause, question)) {
      throw new IllegalStateException(otherwise + " (waited " + patience.toSeconds() + " s)");
    }
  }

  /**
   * Polls every 20 ms until the condition holds or the timeout expires; returns whether it held.
   */
  public static boolean within(Duration patience, Question question) throws InterruptedException {
    return within(patience, PAUSE, question);
  }

  /**
   * Polls with the given pause until the condition holds or the timeout expires; returns whether it
   * held.
   *
   * @throws IllegalStateException if the last evaluation failed when the timeout expired
   */
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
      throw new IllegalStateException("still failing at the timeout: " + last.getMessage(), last);
    }
    return false;
  }
}
