package io.berth.engine.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.journal.Journal;
import org.junit.jupiter.api.Test;

class NominationsTest {
  private final Nominations nominations = new Nominations(new Journal());

  @Test
  void nominate_reservesRoomOnTheNode() {
    nominations.nominate("a", "n1");
    nominations.nominate("b", "n1");

    assertThat(nominations.nodeOf("a")).contains("n1");
    assertThat(nominations.podsOn("n1")).containsExactly("a", "b");
  }

  @Test
  void nominate_again_replacesTheFormerOne() {
    nominations.nominate("a", "n1");
    nominations.nominate("a", "n2");

    assertThat(nominations.podsOn("n1")).isEmpty();
    assertThat(nominations.podsOn("n2")).containsExactly("a");
    assertThat(nominations.size()).isOne();
  }

  @Test
  void end_removesTheNominationAndReturnsItsNode() {
    nominations.nominate("a", "n1");

    assertThat(nominations.end("a")).contains("n1");
    assertThat(nominations.end("a")).isEmpty();
    assertThat(nominations.podsOn("n1")).isEmpty();
    assertThat(nominations.isEmpty()).isTrue();
  }
}
