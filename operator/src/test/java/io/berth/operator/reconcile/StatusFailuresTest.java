package io.berth.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.berth.crds.SchedulingPolicy;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** The reactions to a status that could not be written. */
class StatusFailuresTest {
  private long now;
  private final StatusFailures failures = new StatusFailures(() -> now);

  private AfterFailure after(KubernetesClientException failure) {
    SchedulingPolicy policy = new SchedulingPolicy();
    policy.setMetadata(new ObjectMetaBuilder().withName("batch").build());
    return failures.react(policy, failure);
  }

  private static KubernetesClientException refusal(int code, int retryAfterSeconds) {
    return new KubernetesClientException(
        "refused",
        code,
        new StatusBuilder()
            .withCode(code)
            .withNewDetails()
            .withRetryAfterSeconds(retryAfterSeconds)
            .endDetails()
            .build());
  }

  @Test
  void failure_isFollowedByARetry_whateverItIs() {
    assertThat(after(new KubernetesClientException("no answer")))
        .isEqualTo(new AfterFailure(true, Duration.ZERO));
    assertThat(after(refusal(409, 0))).isEqualTo(new AfterFailure(true, Duration.ZERO));
  }

  @Test
  void refusal_isFollowedByARetry_afterTheDelayThatTheServerRequests() {
    assertThat(after(refusal(429, 7))).isEqualTo(new AfterFailure(true, Duration.ofSeconds(7)));
  }

  @Test
  void failure_isFollowedByNothing_ifTheObjectWasDeleted() {
    assertThat(after(refusal(404, 0)).again()).isFalse();
  }

  @Test
  void failuresOfOneKind_areLoggedOnce_andCountedAfterAMinute() {
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    Logger logger = (Logger) LoggerFactory.getLogger(StatusFailures.class);
    logger.addAppender(log);
    try {
      for (int i = 0; i < 100; i++) {
        after(refusal(500, 0));
      }
      after(refusal(429, 1));
      now = Duration.ofMinutes(1).toNanos();
      after(refusal(500, 0));
    } finally {
      logger.detachAppender(log);
    }

    assertThat(log.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .containsExactly(
            "The status of SchedulingPolicy batch was not written: refused; retrying",
            "The status of SchedulingPolicy batch was not written: refused; retrying",
            "The status of SchedulingPolicy batch was not written: refused; retrying (100 like"
                + " this, status of a SchedulingPolicy, code 500, in 60 s)");
  }
}
