package io.berth.operator.sharing;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.model.PodRef;
import io.berth.engine.model.ResourceAmounts;
import io.berth.operator.sharing.Overcommit.Resident;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * The choice of pods to evict when a node's pods do not fit: the youngest pods of Berth, and no
 * more than necessary.
 */
class OvercommitTest {

  private static final Instant NOON = Instant.parse("2026-06-01T12:00:00Z");
  private static final ResourceAmounts NODE =
      ResourceAmounts.of(Map.of("cpu", 4000L, "memory", 8000L, "pods", 5L));

  private static Resident ours(String name, int boundAfter, long cpu) {
    return resident(name, boundAfter, cpu, 100, true);
  }

  private static Resident foreign(String name, long cpu) {
    return resident(name, 0, cpu, 100, false);
  }

  private static Resident resident(
      String name, int boundAfter, long cpu, long memory, boolean evictable) {
    return new Resident(
        new PodRef("default", name, "uid-" + name),
        ResourceAmounts.of(Map.of("cpu", cpu, "memory", memory)),
        NOON.plusSeconds(boundAfter),
        evictable);
  }

  private static List<String> cured(Resident... residents) {
    return Overcommit.cure(NODE, List.of(residents)).stream()
        .map(resident -> resident.ref().name())
        .toList();
  }

  @Test
  void podsThatFit_stay() {
    assertThat(cured(ours("a", 1, 2000), foreign("b", 2000))).isEmpty();
  }

  @Test
  void youngestOfOurs_goes_andNeverAnotherSchedulersPod() {
    assertThat(cured(ours("old", 1, 1000), ours("young", 2, 1000), foreign("f", 3000)))
        .containsExactly("young");
  }

  @Test
  void smallYoungPod_stays_whereAnOlderOneHasToGoAnyway() {
    assertThat(cured(ours("large", 1, 2000), ours("small", 2, 500), foreign("f", 3000)))
        .containsExactly("large");
  }

  @Test
  void podThatHoldsNothingOfWhatIsShort_stays() {
    assertThat(
            cured(
                resident("memory-only", 3, 0, 100, true), ours("cpu", 2, 2000), foreign("f", 3000)))
        .containsExactly("cpu");
  }

  @Test
  void tooManyPods_areAnExcessToo() {
    assertThat(
            cured(
                ours("a", 1, 1),
                ours("b", 2, 1),
                ours("c", 3, 1),
                ours("d", 4, 1),
                foreign("e", 1),
                foreign("f", 1)))
        .containsExactly("d");
  }

  @Test
  void nobodyGoes_whereThatWouldCureNothing() {
    assertThat(cured(ours("a", 1, 1000), foreign("f", 3000), foreign("g", 3000))).isEmpty();
  }
}
