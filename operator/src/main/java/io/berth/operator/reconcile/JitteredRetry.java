package io.berth.operator.reconcile;

import io.berth.operator.api.Backoff;
import io.javaoperatorsdk.operator.processing.retry.Retry;
import io.javaoperatorsdk.operator.processing.retry.RetryExecution;
import java.time.Duration;
import java.util.Optional;
import java.util.random.RandomGenerator;

/** Retries forever, after delays with exponential backoff and jitter. */
record JitteredRetry(Backoff backoff, RandomGenerator random) implements Retry {

  @Override
  public RetryExecution initExecution() {
    return new Execution();
  }

  private final class Execution implements RetryExecution {
    private int attempts;

    @Override
    public Optional<Long> nextDelay() {
      attempts++;
      return Optional.of(backoff.pause(attempts, Duration.ZERO, random).toMillis());
    }

    @Override
    public int getAttemptCount() {
      return attempts;
    }

    @Override
    public boolean isLastAttempt() {
      return false;
    }
  }
}
