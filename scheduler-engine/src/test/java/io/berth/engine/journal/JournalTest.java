package io.berth.engine.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Changes are words in a list; undoing one removes the last word. */
class JournalTest {
  private final Journal journal = new Journal();
  private final List<String> facts = new ArrayList<>();

  private void add(String fact) {
    facts.add(fact);
    journal.record(facts::removeLast);
  }

  @Test
  void rollback_takesBackWhatCameSince_theLastFirst() {
    add("before");
    Journal.Savepoint point = journal.savepoint();
    add("one");
    add("two");

    journal.rollback(point);

    assertThat(facts).containsExactly("before");
    assertThat(journal.isOpen()).isFalse();
  }

  @Test
  void whatIsKeptInside_goesWithTheSavepointAround() {
    Journal.Savepoint outer = journal.savepoint();
    add("one");
    Journal.Savepoint inner = journal.savepoint();
    add("two");
    journal.keep(inner);

    journal.rollback(outer);

    assertThat(facts).isEmpty();
  }

  @Test
  void whatIsKeptOutside_isForGood() {
    Journal.Savepoint outer = journal.savepoint();
    add("one");
    Journal.Savepoint inner = journal.savepoint();
    add("two");
    journal.rollback(inner);
    journal.keep(outer);

    assertThat(facts).containsExactly("one");
    assertThat(journal.size()).isZero();
  }

  @Test
  void closingASavepoint_closesThoseInside() {
    Journal.Savepoint outer = journal.savepoint();
    Journal.Savepoint inner = journal.savepoint();
    add("one");
    journal.rollback(outer);

    assertThat(facts).isEmpty();
    assertThatThrownBy(() -> journal.keep(inner)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void whatCannotBeTakenBack_isRefusedInsideASavepoint() {
    journal.requireClosed("a node's removal");
    journal.savepoint();

    assertThatThrownBy(() -> journal.requireClosed("a node's removal"))
        .hasMessage("a node's removal cannot be taken back: a savepoint is open");
  }
}
