package io.berth.engine.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Readers of a change log while changes are undone. */
class ChangeLogTest {
  private final ChangeLog log = new ChangeLog();

  private List<Integer> since(long head) {
    List<Integer> slots = new ArrayList<>();
    log.visit(head, slots::add);
    return slots;
  }

  @Test
  void aReader_visitsEachSlotThatChangedSinceItsLastLook_once() {
    log.add(1);
    long head = log.head();
    log.add(2);
    log.add(3);
    log.add(2);

    assertThat(since(head)).containsExactlyInAnyOrder(2, 3);
  }

  @Test
  void changesThatWereTakenBack_andThatNobodyHasRead_areForgotten() {
    log.add(1);
    long head = log.head();
    long mark = log.mark();
    log.add(2);

    log.rewind(mark);

    assertThat(since(head)).isEmpty();
  }

  @Test
  void aReaderThatTookTheHeadMeanwhile_missesNothingThatComesAfterwards() {
    for (int slot = 0; slot < 64; slot++) {
      log.add(slot);
    }
    long mark = log.mark();
    log.add(7);
    log.add(8);
    long head = log.head();

    log.rewind(mark);
    log.add(9);

    assertThat(since(head)).contains(9);
  }

  @Test
  void aReaderThatVisitedMeanwhile_looksAgainAtWhatWasTakenBack() {
    for (int slot = 0; slot < 64; slot++) {
      log.add(slot);
    }
    long mark = log.mark();
    log.add(7);
    long head = log.visit(0, slot -> {});
    log.add(7);

    log.rewind(mark);

    assertThat(since(head)).containsExactly(7);
  }
}
