package io.berth.engine.cards;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.CardRequest;
import io.berth.engine.model.PodCards;
import io.berth.engine.model.PodSpec;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The mix of the present pods. */
class WorkloadMixTest {
  private final WorkloadMix mix = new WorkloadMix(() -> 32_000);

  private static PodSpec share(int milliCores) {
    return Pods.pod("p")
        .milliCpu(1_000)
        .cards(PodCards.of(CardRequest.share("c", milliCores, 0)))
        .spec();
  }

  private void add(PodSpec spec, int times) {
    for (int i = 0; i < times; i++) {
      mix.add(spec);
    }
  }

  private void remove(PodSpec spec, int times) {
    for (int i = 0; i < times; i++) {
      mix.remove(spec);
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
    WorkloadMix other = new WorkloadMix(() -> 32_000);
    Collections.shuffle(pods, new Random(1));
    for (PodSpec pod : pods) {
      mix.add(pod);
      assertThat(mix.version()).isNotNegative(); // what is asked in between has no influence
    }
    add(share(250), 9_000);
    remove(share(250), 9_000);
    Collections.shuffle(pods, new Random(2));
    pods.forEach(other::add);

    assertThat(mix.target().shapes()).hasSizeGreaterThan(10);
    assertThat(mix.target()).isEqualTo(other.target());
  }

  @Test
  void target_followsTheCardsOfTheCluster_asIfTheyHadAlwaysBeenThere() {
    AtomicLong memory = new AtomicLong(16_000);
    WorkloadMix living = new WorkloadMix(memory::get);
    PodSpec pod = Pods.pod("p").cards(PodCards.of(new CardRequest("c", 1, 0, 8_000, 0))).spec();
    living.add(pod);
    assertThat(living.target().shapes()).extracting(WorkloadShape::milliGpu).containsExactly(500);
    long before = living.version();

    memory.set(32_000);
    living.add(pod);

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
      mix.add(share(i % 2 == 0 ? 300 : 700));
      assertThat(mix.target()).as("after pod %d", i).isSameAs(learnt);
    }
  }

  @Test
  void growingMix_changesSeldom() {
    List<PodSpec> pods = manyPods();
    pods.forEach(
        pod -> {
          mix.add(pod);
          assertThat(mix.version()).isNotNegative();
        });

    assertThat(mix.version()).isLessThan(6_000 / 10);
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
