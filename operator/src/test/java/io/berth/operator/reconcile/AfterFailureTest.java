package io.berth.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.SchedulingPolicy;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The reactions to a status that could not be written. */
class AfterFailureTest {

  private static AfterFailure after(KubernetesClientException failure) {
    SchedulingPolicy policy = new SchedulingPolicy();
    policy.setMetadata(new ObjectMetaBuilder().withName("batch").build());
    return StatusReconciler.afterFailure(policy, failure);
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
}
