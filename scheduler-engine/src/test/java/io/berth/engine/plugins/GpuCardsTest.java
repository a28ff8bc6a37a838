package io.berth.engine.plugins;

import static io.berth.engine.fixtures.Nodes.node;
import static io.berth.engine.plugins.PluginTable.PASSES;

import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.framework.Verdict;
import io.berth.engine.model.Card;
import io.berth.engine.model.CardAssignment;
import io.berth.engine.model.CardInventory;
import io.berth.engine.model.CardRequest;
import io.berth.engine.model.PodCards;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class GpuCardsTest {
  private static final Optional<Verdict> TAKEN =
      Optional.of(Verdict.unschedulable("Insufficient free GPU cards"));
  private static final Optional<Verdict> TOO_FEW =
      never("node(s) had too few or too small GPU cards for the pod");

  private static Optional<Verdict> never(String reason) {
    return Optional.of(Verdict.unresolvable(reason));
  }

  private static Pods whole(int cards) {
    return Pods.pod("p").cards(PodCards.of(CardRequest.whole("main", cards)));
  }

  private static Pods share(int milliCores, long memoryMebibytes) {
    return Pods.pod("p").cards(PodCards.of(CardRequest.share("main", milliCores, memoryMebibytes)));
  }

  /** Returns a pod that has these cards, by position. */
  private static Pods given(Pods pod, String... cards) {
    return pod.givenCards(Optional.of(new CardAssignment(Map.of("main", List.of(cards)))));
  }

  private static Nodes with(Card... cards) {
    return node("n").cards(List.of(cards));
  }

  @TestFactory
  Stream<DynamicTest> verdicts() {
    Card t4 = Card.of("T4");
    return PluginTable.ofFilter(new GpuCards())
        .row("a pod without cards may go anywhere", Pods.pod("p"))
        .node(node("n"), PASSES)
        .row("whole cards must be there", whole(2))
        .node(with(t4, t4), PASSES)
        .row("a node with fewer cards can never take the pod", whole(3))
        .node(with(t4, t4), TOO_FEW)
        .row("a whole card is one of which nobody holds anything", whole(2))
        .node(with(t4, t4), TAKEN, given(share(10, 0), "0"))
        .row("a share fits beside another on one card", share(400, 0))
        .node(with(t4), PASSES, given(share(600, 0), "0"))
        .row("a share has to fit on one card", share(500, 0))
        .node(with(t4, t4), TAKEN, given(share(600, 0), "0"), given(share(600, 0), "1"))
        .row("memory counts as computing power does", share(100, 9_000))
        .node(with(new Card("T4", 16_000, "", -1, true)), TAKEN, given(share(100, 8_000), "0"))
        .row(
            "cards of other models do not count",
            Pods.pod("p").cards(PodCards.of(CardRequest.whole("main", 1)).of(Set.of("V100"))))
        .node(with(t4), never("node(s) had no GPU card of the models V100"))
        .row("cards that are not healthy do not count", whole(1))
        .node(with(new Card("T4", 0, "", -1, false)), TOO_FEW)
        .row("whole cards that nobody has described are counted by NodeResourcesFit", whole(1))
        .node(node("n"), PASSES)
        .row("a share needs cards that are described", share(100, 0))
        .node(node("n"), never("node(s) had no GPU cards that can be shared"))
        .row("a description that cannot be read closes the node", whole(1))
        .node(
            node("n").cards(CardInventory.unusable("agent", "no JSON")),
            never("node(s) had a description of GPU cards that cannot be parsed"))
        .row("a pod whose cards nobody knows closes its node", share(100, 0))
        .node(with(t4, t4), never("node(s) had a pod whose GPU cards are unknown"), whole(1))
        .tests();
  }
}
