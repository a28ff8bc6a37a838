package io.berth.engine.preemption;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class AwaitedVictimsTest {
  private final AwaitedVictims awaited = new AwaitedVictims();

  @Test
  void thePreemptorIsFree_whenTheLastVictimIsGone() {
    awaited.await("p", List.of("v1", "v2"));

    assertThat(awaited.gone("v1")).isEmpty();
    assertThat(awaited.isWaiting("p")).isTrue();
    assertThat(awaited.gone("v2")).contains("p");
    assertThat(awaited.isWaiting("p")).isFalse();
  }

  @Test
  void othersVictims_doNotMatter() {
    awaited.await("p", List.of("v1"));

    assertThat(awaited.gone("someone")).isEmpty();
    assertThat(awaited.isWaiting("p")).isTrue();
  }

  @Test
  void awaitingAgain_forgetsTheFormerVictims() {
    awaited.await("p", List.of("v1"));
    awaited.await("p", List.of("v2"));

    assertThat(awaited.gone("v1")).isEmpty();
    assertThat(awaited.victimsOf("p")).containsExactly("v2");
  }

  @Test
  void forget_leavesNothingBehind() {
    awaited.await("p", List.of("v1", "v2"));
    awaited.forget("p");

    assertThat(awaited.size()).isZero();
    assertThat(awaited.gone("v1")).isEmpty();
  }

  @Test
  void awaitingNothing_isNotWaiting() {
    awaited.await("p", List.of());

    assertThat(awaited.isWaiting("p")).isFalse();
  }
}
