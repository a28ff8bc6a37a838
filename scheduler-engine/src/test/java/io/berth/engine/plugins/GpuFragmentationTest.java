package io.berth.engine.plugins;

import static io.berth.engine.fixtures.Nodes.node;

import io.berth.engine.cards.CardRules;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.Card;
import io.berth.engine.model.CardAssignment;
import io.berth.engine.model.CardRequest;
import io.berth.engine.model.PodCards;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** See docs/decisions/gpu-fragmentation.md for the formula; a loss of 2 cards halves the score. */
class GpuFragmentationTest {
  private static final String NVIDIA = "nvidia.com/gpu";

  private static Pods pod() {
    return Pods.pod("p").milliCpu(100);
  }

  private static Pods counted(int gpus) {
    return pod().asks(NVIDIA, gpus);
  }

  private static Pods whole(int cards, String... given) {
    return pod()
        .cards(PodCards.of(CardRequest.whole("main", cards)))
        .givenCards(Optional.of(new CardAssignment(Map.of("main", List.of(given)))));
  }

  private static Nodes of(String name) {
    return node(name).milliCpu(64_000);
  }

  private static Nodes withCards(String name, int cards) {
    return of(name).cards(Collections.nCopies(cards, Card.of("T4")));
  }

  @TestFactory
  Stream<DynamicTest> scores() {
    return PluginTable.ofScore(new GpuFragmentation(CardRules.defaults()))
        .row("a pod without GPU is kept off GPUs that are free", pod())
        .node(of("plain"), 100)
        .node(of("one").allocatable(NVIDIA, 1), 86)
        .node(of("eight").allocatable(NVIDIA, 8), 45)
        .node(of("taken").allocatable(NVIDIA, 8), 100, counted(8))
        .row("GPUs that are only counted have no worth to a pod that asks for them", counted(1))
        .node(of("one").allocatable(NVIDIA, 1), 100)
        .node(of("eight").allocatable(NVIDIA, 8), 100)
        .row("a node whose cards are all taken loses nothing", pod())
        .node(withCards("taken", 1), 99, whole(1, "0"))
        .node(of("plain"), 100)
        .tests();
  }
}
