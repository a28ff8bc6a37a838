package io.berth.engine.state;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The limit of cached data that engines share. */
class CacheLimitTest {
  private final CacheLimit limit = new CacheLimit(1_000);

  @Test
  void oneEngine_mayUseAllOfIt() {
    SharedAnswers answers = new SharedAnswers(limit);
    answers.charge(1_000);
    assertThat(answers.isFull()).isFalse();

    answers.charge(1);
    assertThat(answers.isFull()).isTrue();
  }

  @Test
  void ofSeveralEngines_thoseAboveTheirShareMakeRoom() {
    SharedAnswers large = new SharedAnswers(limit);
    SharedAnswers small = new SharedAnswers(limit);
    large.charge(700);
    small.charge(300);
    assertThat(large.isFull()).isFalse();
    assertThat(small.isFull()).isFalse();

    small.charge(100);
    assertThat(small.isFull()).isFalse();
    assertThat(large.isFull()).isTrue();

    large.charge(-100);
    assertThat(large.isFull()).isFalse();
  }

  @Test
  void theLimitOfTheProcess_isAQuarterOfItsHeap() {
    assertThat(CacheLimit.ofProcess().bytes()).isEqualTo(Runtime.getRuntime().maxMemory() / 4);
    assertThat(CacheLimit.ofProcess()).isSameAs(CacheLimit.ofProcess());
  }
}
