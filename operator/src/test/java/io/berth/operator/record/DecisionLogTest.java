package io.berth.operator.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.Attempt;
import io.berth.engine.api.Decision;
import io.berth.engine.api.WaitCause;
import io.berth.engine.decision.CycleRecord;
import io.berth.engine.model.PodRef;
import io.berth.operator.record.DecisionLog.LoggedDecision;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DecisionLogTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  private final Set<PodRef> pending = new HashSet<>();
  private final DecisionLog log = new DecisionLog(3, pending::contains, () -> NOW);

  private static PodRef pod(String name) {
    return new PodRef("default", name, "uid-" + name);
  }

  private static Decision placed(PodRef pod, String node) {
    return new Decision.Placed(
        pod,
        new Attempt(1, NOW),
        node,
        List.of(),
        Map.of(),
        Map.of(),
        List.of(),
        Optional.empty(),
        new CycleRecord.Untried("usual", "1", 1, ""));
  }

  private static Decision unschedulable(PodRef pod, String message) {
    return new Decision.Unschedulable(
        pod,
        new Attempt(1, NOW),
        WaitCause.NO_ROOM,
        message,
        false,
        Optional.empty(),
        Optional.empty(),
        new CycleRecord.Untried("usual", "1", 1, message));
  }

  private void placed(String name) {
    pending.remove(pod(name));
    log.decided(placed(pod(name), "n1"), NOW);
  }

  private void waits(String name, Instant at) {
    pending.add(pod(name));
    log.decided(unschedulable(pod(name), "0/1 nodes are available"), at);
  }

  private Set<String> known() {
    Set<String> names = new HashSet<>();
    log.list(entry -> true, "", 100)
        .objects()
        .forEach(entry -> names.add(entry.decision().pod().name()));
    return names;
  }

  @Test
  void podsThatWait_areKept_howeverManyOthersAreDecided() {
    waits("a", NOW);
    waits("b", NOW);
    for (int i = 0; i < 10; i++) {
      placed("p" + i);
    }

    assertThat(known()).containsExactlyInAnyOrder("a", "b", "p7", "p8", "p9");
  }

  @Test
  void podsThatWaitNoMore_areForgotten() {
    for (int i = 0; i < 10; i++) {
      waits("w" + i, NOW);
    }
    assertThat(known()).hasSize(10);

    pending.clear();
    for (int i = 0; i < 10; i++) {
      placed("p" + i);
      waits("x" + i, NOW);
      pending.clear();
    }

    assertThat(known()).hasSizeLessThanOrEqualTo(7);
  }

  @Test
  void podThatIsPlacedAfterItHasWaited_countsOnce() {
    waits("a", NOW);
    placed("a");

    assertThat(known()).containsExactly("a");
    waits("a", NOW);
    assertThat(known()).containsExactly("a");
  }

  @Test
  void earlierResults_areKept_andThoseThatAreAlikeCountAsOne() {
    for (int i = 0; i < 7; i++) {
      waits("a", NOW.plusSeconds(i));
    }
    placed("a");
    log.ended(pod("a"), "the Binding was rejected", OptionalLong.empty());
    waits("a", NOW.plusSeconds(60));

    LoggedDecision latest = log.find("default", "a").orElseThrow();
    assertThat(latest.attempts()).isEqualTo(9);
    assertThat(latest.earlier())
        .containsExactly(
            new EarlierDecision(
                NOW, "Placed", "n1", "", Optional.of("the Binding was rejected"), 1),
            new EarlierDecision(
                NOW.plusSeconds(6),
                "Unschedulable",
                "",
                "0/1 nodes are available",
                Optional.empty(),
                7));
  }

  @Test
  void earlierResults_areAtMostFive_andNoneOfAPodOfTheSameName() {
    for (int i = 0; i < 8; i++) {
      log.decided(placed(pod("a"), "n" + i), NOW);
    }

    LoggedDecision latest = log.find("default", "a").orElseThrow();
    assertThat(latest.earlier().stream().map(EarlierDecision::node).toList())
        .isEqualTo(List.of("n6", "n5", "n4", "n3", "n2"));
    LoggedDecision other = log.decided(placed(new PodRef("default", "a", "other"), "n1"), NOW);
    assertThat(other.earlier()).isEmpty();
  }
}
