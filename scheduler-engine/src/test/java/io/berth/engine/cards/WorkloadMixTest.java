package io.berth.engine.cards;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.model.CardRequest;
import io.berth.engine.model.PodCards;
import io.berth.engine.model.PodSpec;
import io.berth.engine.model.Pods;
import org.junit.jupiter.api.Test;

/** The mix of pods that is learned from arrived ones. */
class WorkloadMixTest {
  private final WorkloadMix mix = new WorkloadMix(() -> 32_000);

  private static PodSpec share(int milliCores) {
    return Pods.pod("p")
        .milliCpu(1_000)
        .cards(PodCards.of(CardRequest.share("c", milliCores, 0)))
        .spec();
  }

  private void saw(PodSpec spec, int times) {
    for (int i = 0; i < times; i++) {
      mix.saw(spec);
    }
  }

  @Test
  void asLongAsTheKindsOfPodsStayTheSame_theMixIsTheSameValue() {
    saw(share(300), 8);
    saw(share(700), 8);
    TargetWorkload learnt = mix.target();
    assertThat(learnt.shapes()).extracting(WorkloadShape::milliGpu).containsExactly(700, 300);

    for (int i = 0; i < 10_000; i++) {
      mix.saw(share(i % 2 == 0 ? 300 : 700));
    }

    assertThat(mix.target()).isSameAs(learnt);
  }

  @Test
  void whenOtherPodsCome_theMixFollows_andForgetsTheOld() {
    saw(share(300), 1_000);
    saw(share(700), 200_000);

    assertThat(mix.target().shapes()).extracting(WorkloadShape::milliGpu).containsExactly(700);
  }

  @Test
  void podsThatAskForMemoryAlone_countByTheirPartOfACardsMemory() {
    saw(Pods.pod("amount").cards(PodCards.of(new CardRequest("c", 1, 0, 8_000, 0))).spec(), 100);
    saw(Pods.pod("part").cards(PodCards.of(new CardRequest("c", 1, 300, 0, 60))).spec(), 50);

    assertThat(mix.target().shapes()).extracting(WorkloadShape::milliGpu).contains(250, 600);
  }

  @Test
  void podsThatAskForNonsense_areNoPartOfTheMix() {
    saw(Pods.pod("p").cards(PodCards.impossible("nonsense")).spec(), 100);

    assertThat(mix.target()).isEqualTo(TargetWorkload.unknown());
  }
}
