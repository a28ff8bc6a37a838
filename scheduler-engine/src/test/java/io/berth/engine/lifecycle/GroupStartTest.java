package io.berth.engine.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.lifecycle.GroupPhase.Held;
import io.berth.engine.time.Due;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** The transitions of the progress of placing a group. */
class GroupStartTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final Due SOON = Due.at(NOW.plusSeconds(2));
  private static final Due LATER = Due.at(NOW.plusSeconds(60));

  private final GroupStart start = new GroupStart();

  @Test
  void newGroup_isBelowItsMinimum_andWaitsForNothing() {
    assertThat(start.isMet()).isFalse();
    assertThat(start.reportDue()).isEqualTo(Due.NEVER);
    assertThat(start.turnDue()).isEqualTo(Due.NEVER);
    assertThat(start.held()).isEqualTo(new Held.Nothing());
  }

  @Test
  void minimum_isReachedAndLostOnce() {
    assertThat(start.met()).isTrue();
    assertThat(start.met()).isFalse();
    assertThat(start.belowMinimum()).isTrue();
    assertThat(start.belowMinimum()).isFalse();
  }

  @Test
  void missingMembers_areReportedOnce_untilTheGroupChanges() {
    start.lacksMembers(SOON);
    start.lacksMembers(LATER);
    assertThat(start.reportDue()).isEqualTo(SOON);

    start.reported();
    assertThat(start.reportDue()).isEqualTo(Due.NEVER);

    start.lacksMembers(LATER);
    assertThat(start.reportDue()).isEqualTo(LATER);

    start.isComplete();
    assertThat(start.reportDue()).isEqualTo(Due.NEVER);
  }

  @Test
  void groupThatDoesNotFit_waitsSinceTheFirstAttempt_andHasATurnAgainLater() {
    start.isComplete();
    start.lacksRoom(NOW, SOON);
    start.lacksRoom(NOW.plusSeconds(1), LATER);
    assertThat(start.waitsForRoomSince()).contains(NOW);
    assertThat(start.turnDue()).isEqualTo(SOON);

    start.turnIsOver(LATER);
    assertThat(start.waitsForRoomSince()).contains(NOW);
    assertThat(start.turnDue()).isEqualTo(LATER);

    start.isComplete();
    assertThat(start.waitsForRoomSince()).as("it is still complete").contains(NOW);

    start.lacksMembers(SOON);
    assertThat(start.waitsForRoomSince()).isEmpty();
    assertThat(start.turnDue()).isEqualTo(Due.NEVER);
  }

  @Test
  void whatIsHeld_isKeptWhileMembersComeAndGo() {
    start.othersDoNotFit(NOW);
    start.hasNoPending();
    start.isComplete();
    start.othersDoNotFit(NOW.plusSeconds(1));

    assertThat(start.held()).isEqualTo(new Held.OthersDoNotFit(NOW));

    start.holdsNoLonger();
    assertThat(start.held()).isEqualTo(new Held.Nothing());
  }

  @Test
  void failedBinding_takesAMetGroupBelowItsMinimum() {
    start.met();

    assertThat(start.bindingFailed()).isTrue();

    assertThat(start.isMet()).isFalse();
    assertThat(start.held()).isEqualTo(new Held.BindingFailed());
    start.othersDoNotFit(NOW);
    assertThat(start.held()).isEqualTo(new Held.BindingFailed());
  }

  @Test
  void minimumThatIsPlaced_endsAllThatCameBefore() {
    start.bindingFailed();
    start.lacksRoom(NOW, SOON);

    start.met();
    assertThat(start.held()).isEqualTo(new Held.Nothing());
    assertThat(start.turnDue()).isEqualTo(Due.NEVER);

    start.belowMinimum();
    assertThat(start.held()).isEqualTo(new Held.Nothing());
    assertThat(start.waitsForRoomSince()).isEmpty();
  }
}
