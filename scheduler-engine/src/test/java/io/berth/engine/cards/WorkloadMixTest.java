package io.berth.engine.cards;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.CardRequest;
import io.berth.engine.model.PodCards;
import io.berth.engine.model.PodSpec;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The mix of the present pods. */
class WorkloadMixTest {
  private final WorkloadMix mix = new WorkloadMix(() -> 32_000, () -> 0);

  private static PodSpec share(int milliCores) {
    return Pods.pod("p")
        .milliCpu(1_000)
        .cards(PodCards.of(CardRequest.share("c", milliCores, 0)))
        .spec();
  }

  private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");

  /** The numbers of the present pods, by spec, in the order of their creation. */
  private final Map<PodSpec, Deque<Integer>> present = new HashMap<>();

  private int created;

  private void add(PodSpec spec, int times) {
    for (int i = 0; i < times; i++) {
      present.computeIfAbsent(spec, unknown -> new ArrayDeque<>()).add(created);
      add(mix, spec, created++);
    }
  }

  /** Adds a pod to a mix, of which a hundred are created in a second. */
  private static void add(WorkloadMix to, PodSpec spec, int number) {
    to.add(BEGIN.plusSeconds(number / 100), "uid-" + number, spec, Optional.empty());
  }

  /** Removes the oldest pods of a spec. */
  private void remove(PodSpec spec, int times) {
    for (int i = 0; i < times; i++) {
      int number = present.get(spec).remove();
      mix.remove(BEGIN.plusSeconds(number / 100), "uid-" + number, spec);
    }
  }

  private static List<PodSpec> manyPods() {
    List<PodSpec> pods = new ArrayList<>();
    for (int i = 0; i < 6_000; i++) {
      pods.add(share(100 + 50 * (i % 13) * (i % 7)));
    }
    return pods;
  }

  @Test
  void target_dependsOnThePresentPodsAlone() {
    List<PodSpec> pods = manyPods();
    WorkloadMix other = new WorkloadMix(() -> 32_000, () -> 0);
    List<Integer> order = new ArrayList<>(IntStream.range(0, pods.size()).boxed().toList());
    Collections.shuffle(order, new Random(1));
    for (int number : order) {
      add(mix, pods.get(number), number);
      assertThat(mix.version()).isNotNegative(); // what is asked in between has no influence
    }
    created = pods.size();
    add(share(250), 9_000);
    remove(share(250), 9_000);
    Collections.shuffle(order, new Random(2));
    order.forEach(number -> add(other, pods.get(number), number));

    assertThat(mix.target().shapes()).hasSizeGreaterThan(10);
    assertThat(mix.target()).isEqualTo(other.target());
  }

  @Test
  void target_followsTheCardsOfTheCluster_asIfTheyHadAlwaysBeenThere() {
    AtomicLong memory = new AtomicLong(16_000);
    WorkloadMix living = new WorkloadMix(memory::get, () -> 0);
    PodSpec pod = Pods.pod("p").cards(PodCards.of(new CardRequest("c", 1, 0, 8_000, 0))).spec();
    add(living, pod, 0);
    assertThat(living.target().shapes()).extracting(WorkloadShape::milliGpu).containsExactly(500);
    long before = living.version();

    memory.set(32_000);
    add(living, pod, 1);

    assertThat(living.target().shapes()).extracting(WorkloadShape::milliGpu).containsExactly(250);
    assertThat(living.version()).isGreaterThan(before);
  }

  @Test
  void whileTheSharesStayNearlyTheSame_theMixIsTheSameValue() {
    add(share(300), 5_200);
    add(share(700), 3_600);
    TargetWorkload learnt = mix.target();
    assertThat(learnt.shapes()).extracting(WorkloadShape::milliGpu).containsExactly(300, 700);

    for (int i = 0; i < 300; i++) {
      add(share(i % 2 == 0 ? 300 : 700), 1);
      assertThat(mix.target()).as("after pod %d", i).isSameAs(learnt);
    }
  }

  @Test
  void growingMix_changesSeldom() {
    List<PodSpec> pods = manyPods();
    pods.forEach(
        pod -> {
          add(pod, 1);
          assertThat(mix.version()).isNotNegative();
        });

    assertThat(mix.version()).isLessThan(60);
  }

  @Test
  void podsThatAreReplacedByOthersOfTheirKind_changeTheMixSeldom() {
    List<PodSpec> pods = manyPods();
    pods.forEach(pod -> add(pod, 1));
    long before = mix.version();

    for (int i = 0; i < 3_000; i++) {
      PodSpec spec = pods.get(i);
      remove(spec, 1);
      add(spec, 1);
      assertThat(mix.version()).isNotNegative();
    }

    assertThat(mix.version() - before).isLessThan(60);
  }

  @Test
  void whenOtherPodsCome_theMixFollows_andRareKindsAreLeftOut() {
    add(share(300), 1_000);
    add(share(700), 200_000);

    assertThat(mix.target().shapes()).extracting(WorkloadShape::milliGpu).containsExactly(700);
  }

  @Test
  void whenAllPodsAreGone_theMixIsUnknown() {
    add(share(300), 100);
    assertThat(mix.target().shapes()).hasSize(1);
    remove(share(300), 100);

    assertThat(mix.target()).isEqualTo(TargetWorkload.unknown());
  }

  @Test
  void podsThatAskForMemoryAlone_countByTheirPartOfACardsMemory() {
    add(Pods.pod("amount").cards(PodCards.of(new CardRequest("c", 1, 0, 8_000, 0))).spec(), 100);
    add(Pods.pod("part").cards(PodCards.of(new CardRequest("c", 1, 300, 0, 60))).spec(), 50);

    assertThat(mix.target().shapes()).extracting(WorkloadShape::milliGpu).contains(250, 600);
  }

  @Test
  void podsThatAskForNonsense_areNoPartOfTheMix() {
    add(Pods.pod("p").cards(PodCards.impossible("nonsense")).spec(), 100);

    assertThat(mix.target()).isEqualTo(TargetWorkload.unknown());
  }
}
