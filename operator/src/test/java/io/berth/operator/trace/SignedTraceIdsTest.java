package io.berth.operator.trace;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class SignedTraceIdsTest {

  private static SignedTraceIds replicaWith(String secret) {
    return new SignedTraceIds(() -> secret.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void anId_isRecognizedByReplicasWithTheSameSecret() {
    String id = replicaWith("shared").generateTraceId();

    assertThat(id).matches("[0-9a-f]{32}");
    assertThat(replicaWith("shared").isSigned(id)).isTrue();
    assertThat(replicaWith("another").isSigned(id)).isFalse();
  }

  @Test
  void anIdOfSomebodyElse_isNotRecognized() {
    assertThat(replicaWith("shared").isSigned("4bf92f3577b34da6a3ce929d0e0e4736")).isFalse();
  }

  @Test
  void twoIds_differ() {
    SignedTraceIds ids = replicaWith("shared");

    assertThat(ids.generateTraceId()).isNotEqualTo(ids.generateTraceId());
  }
}
