package io.berth.operator.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.operator.record.ChangeLog.Change;
import io.berth.operator.record.ChangeLog.Part;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Changes by versions, at the bounds of what is kept. */
class ChangeLogTest {
  private static final int KEPT = 3;
  private static final long MILLIS = 1_000;
  private static final long BEGAN = MILLIS << 20;

  private final ChangeLog<String> log = new ChangeLog<>(KEPT, () -> Instant.ofEpochMilli(MILLIS));

  private Part<String> since(long version, int limit) {
    return log.since(version, limit, text -> true).orElseThrow();
  }

  @Test
  void log_beginsWithTheTime_andCountsChanges() {
    assertThat(log.version()).isEqualTo(BEGAN);
    assertThat(since(BEGAN, 1)).isEqualTo(new Part<String>(BEGAN, false, List.of()));

    log.add(null, "a");
    assertThat(log.version()).isEqualTo(BEGAN + 1);
    assertThat(since(BEGAN, 1).changes()).containsExactly(new Change<>(BEGAN + 1, null, "a"));
    assertThat(log.knows(BEGAN - 1)).as("before the log").isFalse();
    assertThat(log.knows(BEGAN + 2)).as("of another log").isFalse();
  }

  @Test
  void oldestVersion_isThatBeforeTheOldestChange() {
    for (int i = 0; i < KEPT; i++) {
      log.add(null, "o" + i);
    }
    assertThat(since(BEGAN, KEPT).changes()).hasSize(KEPT);

    log.add(null, "o3");
    assertThat(log.since(BEGAN, KEPT, text -> true)).isEmpty();
    assertThat(since(BEGAN + 1, KEPT).changes())
        .extracting(Change::object)
        .containsExactly("o1", "o2", "o3");
  }

  @Test
  void part_endsAtTheLimit() {
    log.add(null, "a");
    log.add(null, "b");
    log.add(null, "c");

    assertThat(since(BEGAN, 2))
        .isEqualTo(
            new Part<>(
                BEGAN + 2,
                true,
                List.of(new Change<>(BEGAN + 1, null, "a"), new Change<>(BEGAN + 2, null, "b"))));
    assertThat(since(BEGAN + 2, 2).more()).isFalse();
    assertThat(since(BEGAN, 3).more()).isFalse();
  }

  @Test
  void change_isSeenAsFarAsTheObjectIsWanted() {
    log.add("a1", "a2");
    log.add("a2", "b1");
    log.add("b1", null);

    assertThat(log.since(BEGAN, KEPT, text -> text.startsWith("a")).orElseThrow().changes())
        .extracting(Change::type)
        .containsExactly("MODIFIED", "DELETED");
    assertThat(log.since(BEGAN, KEPT, text -> text.startsWith("b")).orElseThrow().changes())
        .extracting(Change::type)
        .containsExactly("ADDED", "DELETED");
    Part<String> none = log.since(BEGAN, 1, text -> false).orElseThrow();
    assertThat(none).isEqualTo(new Part<String>(BEGAN + 3, false, List.of()));
  }

  @Test
  void nextBeginning_makesAllVersionsInvalid_alsoWithinTheSameMillisecond() {
    log.add(null, "a");
    log.begin();

    assertThat(log.knows(BEGAN)).isFalse();
    assertThat(log.knows(BEGAN + 1)).isFalse();
    assertThat(log.version()).isEqualTo(BEGAN + 2);
    log.add(null, "b");
    assertThat(since(BEGAN + 2, 1).changes()).extracting(Change::object).containsExactly("b");
  }
}
