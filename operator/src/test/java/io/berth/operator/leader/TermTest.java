package io.berth.operator.leader;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The validity of a leader's term, with a clock that the test controls. */
class TermTest {

  private static final Duration LIFE = Duration.ofSeconds(10);

  private final AtomicLong now = new AtomicLong(1_000);
  private final Term term = new Term(LIFE, now::get, now.get());

  private void pass(Duration time) {
    now.addAndGet(time.toNanos());
  }

  @Test
  void term_lastsItsLife_andNoLonger() {
    pass(LIFE.minusNanos(1));
    assertThat(term.holds()).isTrue();

    pass(Duration.ofNanos(1));
    assertThat(term.holds()).isFalse();
  }

  @Test
  void renewal_countsFromWhenItWasAskedFor() {
    long asked = now.get();
    pass(Duration.ofSeconds(6));
    assertThat(term.renew(asked)).isTrue();

    pass(Duration.ofSeconds(4));

    assertThat(term.holds()).isFalse();
  }

  @Test
  void renewalThatCameTooLate_revivesNothing() {
    pass(LIFE);

    assertThat(term.renew(now.get())).isFalse();
    assertThat(term.holds()).isFalse();
    assertThat(term.left()).isZero();
  }

  @Test
  void processThatWasStoppedBeyondItsLease_findsItsTermEnded() {
    pass(Duration.ofSeconds(5));
    assertThat(term.renew(now.get())).isTrue();

    pass(Duration.ofMinutes(1)); // SIGSTOP, then SIGCONT

    assertThat(term.holds()).isFalse();
  }

  @Test
  void unlimitedTerm_lastsUntilItIsEnded() {
    Term unlimited = Term.unlimited();
    assertThat(unlimited.holds()).isTrue();

    unlimited.end();

    assertThat(unlimited.holds()).isFalse();
  }
}
