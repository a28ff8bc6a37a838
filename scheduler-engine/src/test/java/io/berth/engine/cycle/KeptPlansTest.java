package io.berth.engine.cycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The order in which plans are dropped. */
class KeptPlansTest {
  private static final int ROOM = 100;

  private final KeptPlans<Integer, String> plans = new KeptPlans<>();
  private int made;

  private void use(int key) {
    if (plans.use(key) == null) {
      made++;
      plans.add(key, "plan " + key);
    }
    while (plans.size() > ROOM) {
      plans.dropOne();
    }
  }

  private double madePerUse(int from, int to, int rounds) {
    made = 0;
    for (int round = 0; round < rounds; round++) {
      for (int key = from; key < to; key++) {
        use(key);
      }
    }
    return (double) made / (rounds * (to - from));
  }

  @Test
  void ofTwiceAsManyInTurnAsThereIsRoomFor_almostHalfAreFound() {
    madePerUse(0, 2 * ROOM, 2);

    assertThat(madePerUse(0, 2 * ROOM, 20)).isBetween(0.5, 0.56);
  }

  @Test
  void thoseThatFit_areMadeOnce() {
    madePerUse(0, ROOM, 1);

    assertThat(madePerUse(0, ROOM, 20)).isZero();
  }

  @Test
  void manyThatAreUsedOnce_doNotDisplaceThoseThatAreUsedAgain() {
    madePerUse(0, ROOM / 2, 3);
    int scanned = 10_000;
    made = 0;
    for (int i = 0; i < 2_000; i++) {
      use(i % (ROOM / 2));
      use(scanned++);
    }

    assertThat(made).isEqualTo(2_000);
  }

  @Test
  void otherWork_takesThePlaceOfThatWhichEnded() {
    madePerUse(0, ROOM, 10);
    madePerUse(1_000, 1_000 + ROOM, 20);

    assertThat(madePerUse(1_000, 1_000 + ROOM, 10)).isLessThan(0.05);
  }

  @Test
  void otherWorkThatDoesNotFit_takesThePlaceOfThatWhichEnded() {
    madePerUse(0, ROOM, 10);
    madePerUse(1_000, 1_000 + 2 * ROOM, 20);

    assertThat(madePerUse(1_000, 1_000 + 2 * ROOM, 10)).isLessThan(0.6);
  }

  @Test
  void whatIsRemoved_makesRoom() {
    madePerUse(0, ROOM, 3);

    assertThat(plans.removeAll(key -> key % 2 == 0)).hasSize(ROOM / 2).contains("plan 0");
    assertThat(plans.size()).isEqualTo(ROOM / 2);
    assertThat(plans.values()).hasSize(ROOM / 2).contains("plan 1").doesNotContain("plan 0");
  }

  @Test
  void withoutValues_nothingCanBeDropped() {
    assertThatThrownBy(plans::dropOne)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("nothing to drop");
  }

  @Test
  void theOrder_dependsOnTheCallsAlone() {
    List<String> first = droppedAfter(new KeptPlans<>(), 7);

    assertThat(first).hasSize(ROOM).isEqualTo(droppedAfter(new KeptPlans<>(), 7));
    assertThat(first).isNotEqualTo(droppedAfter(new KeptPlans<>(), 8));
  }

  private static List<String> droppedAfter(KeptPlans<Integer, String> plans, long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < 5_000; i++) {
      int key = random.nextInt(3 * ROOM);
      if (plans.use(key) == null) {
        plans.add(key, "plan " + key);
      }
      while (plans.size() > ROOM) {
        plans.dropOne();
      }
    }
    List<String> dropped = new ArrayList<>();
    while (plans.size() > 0) {
      dropped.add(plans.dropOne());
    }
    return dropped;
  }
}
