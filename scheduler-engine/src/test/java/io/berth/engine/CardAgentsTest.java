package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.policy.CardChoice;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.Idle;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.Card;
import io.berth.engine.model.CardAssignment;
import io.berth.engine.model.CardInventory;
import io.berth.engine.model.CardInventory.AtOnce;
import io.berth.engine.model.CardInventory.Order;
import io.berth.engine.model.CardRequest;
import io.berth.engine.model.GroupDialect;
import io.berth.engine.model.GroupModel;
import io.berth.engine.model.GroupRef;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodCards;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Constraints of node agents on a scheduler that chooses cards. */
class CardAgentsTest {
  private final GpuCluster gpus = new GpuCluster(CardChoice.SPREAD);

  private static NodeModel node(String name, Order order, AtOnce atOnce, Card... cards) {
    return GpuCluster.node(name)
        .cards(new CardInventory("agent", List.of(cards), order, atOnce, Optional.empty()))
        .build();
  }

  private static Card card(String id, int slots) {
    return new Card(id, "T4", 1_000, 16_000, slots, "", -1, true);
  }

  private PodModel shown(PodModel pod, Decision.Placed placed, boolean awaits) {
    PodModel bound =
        Pods.from(pod)
            .on(placed.nodeName())
            .givenCards(placed.assignment(CardAssignment.class))
            .awaitsCards(awaits)
            .build();
    gpus.put(bound);
    return bound;
  }

  private Decision.Placed place(PodModel pod) {
    gpus.put(pod);
    return gpus.cluster.placed();
  }

  private static String cards(Decision.Placed placed) {
    return placed.assignment(CardAssignment.class).orElseThrow().toJson();
  }

  @Test
  void anAgentThatChoosesByItself_isFollowed_whateverThePolicySays() {
    gpus.put(node("n", Order.FULLEST_FIRST, AtOnce.ANY, card("a", 0), card("b", 0), card("c", 0)));
    assertThat(cards(place(GpuCluster.share("first", 300).build())))
        .isEqualTo("{\"main\":[\"a\"]}");
    assertThat(cards(place(GpuCluster.share("second", 300).build()))).contains("\"a\"");
    assertThat(cards(place(GpuCluster.whole("whole", 1).build()))).contains("\"b\"");

    PodModel two =
        Pods.pod("two")
            .cards(
                PodCards.of(CardRequest.share("small", 200, 0), CardRequest.share("large", 900, 0)))
            .build();

    // Container by container, and not the largest first.
    assertThat(cards(place(two))).isEqualTo("{\"large\":[\"c\"],\"small\":[\"a\"]}");
  }

  @Test
  void aShareWaits_whileTheAgentHasAnotherToServe_andGoesOnOnceThatHasItsCards() {
    gpus.put(node("n", Order.FREE, AtOnce.BY_AMOUNT, card("a", 0), card("b", 0)));
    PodModel first = GpuCluster.share("first", 300).build();
    Decision.Placed placed = place(first);

    gpus.put(GpuCluster.share("second", 300).build());
    assertThat(gpus.cluster.unschedulable().message())
        .contains("had a GPU agent that must first serve another pod");
    gpus.cluster.apply(new ClusterEvent.BindingConfirmed(first.ref()));
    PodModel bound = shown(first, placed, true);
    gpus.cluster.later(Duration.ofSeconds(30));
    assertThat(gpus.cluster.next()).isInstanceOf(Idle.class);

    gpus.put(Pods.from(bound).awaitsCards(false).build());
    gpus.cluster.later(Duration.ofSeconds(30));

    assertThat(gpus.cluster.placed().pod().name()).isEqualTo("second");
  }

  @Test
  void wholeCardsOfDifferentNumbersDoNotWaitForEachOther_butSharesWaitForThem() {
    gpus.put(
        node(
            "n",
            Order.FREE,
            AtOnce.BY_AMOUNT,
            card("a", 0),
            card("b", 0),
            card("c", 0),
            card("d", 0)));
    place(GpuCluster.whole("one", 1).build());
    place(GpuCluster.whole("two", 2).build());

    gpus.put(GpuCluster.share("share", 300).build());
    assertThat(gpus.cluster.unschedulable().message()).contains("must first serve another pod");
  }

  @Test
  void
      equalNumbersOfWholeCardsWait_untilTheKubeletHasAdmittedTheFirst_andSharesUntilItsCardsAreKnown() {
    gpus.put(node("n", Order.FREE, AtOnce.BY_AMOUNT, card("a", 0), card("b", 0), card("c", 0)));
    PodModel first = GpuCluster.whole("first", 1).build();
    Decision.Placed placed = place(first);
    gpus.put(GpuCluster.whole("equal", 1).build());
    assertThat(gpus.cluster.unschedulable().message()).contains("must first serve another pod");
    gpus.put(GpuCluster.share("share", 300).build());
    assertThat(gpus.cluster.unschedulable().message()).contains("must first serve another pod");
    gpus.cluster.apply(new ClusterEvent.BindingConfirmed(first.ref()));
    PodModel bound = shown(first, placed, true);

    gpus.put(
        Pods.from(bound).startedAt(Optional.of(Instant.parse("2026-01-01T00:00:00Z"))).build());
    gpus.cluster.later(Duration.ofSeconds(30));
    PodModel equal = GpuCluster.whole("equal", 1).build();
    Decision.Placed second = gpus.cluster.placed();
    assertThat(second.pod()).isEqualTo(equal.ref());
    gpus.cluster.apply(new ClusterEvent.BindingConfirmed(equal.ref()));
    shown(equal, second, false);
    gpus.cluster.later(Duration.ofSeconds(30));
    assertThat(gpus.cluster.unschedulable().pod().name()).isEqualTo("share");

    gpus.put(
        Pods.from(bound)
            .startedAt(Optional.of(Instant.parse("2026-01-01T00:00:00Z")))
            .awaitsCards(false)
            .build());
    gpus.cluster.later(Duration.ofSeconds(30));
    assertThat(gpus.cluster.placed().pod().name()).isEqualTo("share");
  }

  @Test
  void aPodThatWaitsForAnAgent_evictsNobodyMeanwhile_andIsReportedOnlyAfterAMinute() {
    gpus.put(node("busy", Order.FREE, AtOnce.ONE, card("a", 0), card("b", 0)));
    gpus.put(node("full", Order.FREE, AtOnce.ANY, card("c", 0)));
    gpus.put(
        GpuCluster.whole("low", 1)
            .on("full")
            .givenCards(Optional.of(new CardAssignment("agent", Map.of("main", List.of("c")))))
            .build());
    place(GpuCluster.whole("first", 1).build());
    PodModel urgent = GpuCluster.whole("urgent", 1).priority(1_000).build();
    gpus.put(urgent);

    Decision.Unschedulable waits = gpus.cluster.unschedulable();
    assertThat(waits.waits()).isTrue();
    assertThat(waits.message()).contains("must first serve another pod");
    gpus.cluster.later(Duration.ofSeconds(50));
    assertThat(gpus.cluster.next()).isInstanceOf(Idle.class);

    gpus.cluster.later(Duration.ofSeconds(20));
    assertThat(gpus.cluster.nominated().victims()).extracting(PodRef::name).containsExactly("low");
  }

  @Test
  void anAgentThatServesOneAtATime_isGivenOne_untilItsBindingFailed() {
    gpus.put(node("n", Order.FREE, AtOnce.ONE, card("a", 0), card("b", 0)));
    PodModel first = GpuCluster.whole("first", 1).build();
    place(first);
    gpus.put(GpuCluster.whole("second", 1).build());
    assertThat(gpus.cluster.unschedulable().message()).contains("must first serve another pod");

    gpus.cluster.apply(new ClusterEvent.BindingFailed(first.ref(), "conflict", false));
    gpus.cluster.later(Duration.ofSeconds(30));

    assertThat(gpus.cluster.placed().pod().name()).isEqualTo("second");
  }

  @Test
  void podsOfOneGroup_arePlacedTogetherOnOneNode_thoughItsAgentServesOneAtATime() {
    gpus.put(node("n", Order.FREE, AtOnce.ONE, card("a", 0), card("b", 0), card("c", 0)));
    GroupModel gang = GroupModel.of(new GroupRef(GroupDialect.BERTH, "default", "gang"), 2);
    gpus.put(GpuCluster.whole("gang-0", 1).memberOf(gang).build());
    gpus.put(GpuCluster.whole("gang-1", 1).memberOf(gang).build());

    assertThat(gpus.cluster.placed().nodeName()).isEqualTo("n");
    assertThat(gpus.cluster.placed().nodeName()).isEqualTo("n");

    gpus.put(GpuCluster.whole("other", 1).build());
    assertThat(gpus.cluster.unschedulable().message()).contains("must first serve another pod");
  }

  @Test
  void aRunningPodKeepsTheCardsThatWereChosenForIt_whateverItsOwnerWrites() {
    gpus.put(node("n", Order.FREE, AtOnce.ANY, card("a", 0), card("b", 0)));
    PodModel pod = GpuCluster.whole("one", 1).build();
    PodModel bound = shown(pod, place(pod), false);
    assertThat(gpus.used()).containsEntry("n", List.of(1_000, 0));

    gpus.put(Pods.from(bound).givenCards(Optional.empty()).build());
    assertThat(gpus.used()).as("garbage").containsEntry("n", List.of(1_000, 0));
    assertThat(place(GpuCluster.whole("two", 1).build()).nodeName()).isEqualTo("n");

    gpus.put(
        Pods.from(bound)
            .givenCards(Optional.of(new CardAssignment("agent", Map.of("main", List.of("b")))))
            .build());
    assertThat(gpus.used()).as("another card").containsEntry("n", List.of(1_000, 1_000));
  }

  @Test
  void cardsThatAreEditedBetweenTheBindingAndItsEvent_areNotBelieved() {
    gpus.put(node("n", Order.FREE, AtOnce.ANY, card("a", 0), card("b", 0)));
    PodModel pod = GpuCluster.whole("one", 1).build();
    place(pod);

    gpus.put(Pods.from(pod).on("n").givenCards(Optional.empty()).build());
    gpus.cluster.apply(new ClusterEvent.BindingConfirmed(pod.ref()));

    assertThat(gpus.used()).containsEntry("n", List.of(1_000, 0));
    assertThat(place(GpuCluster.whole("two", 1).build()).nodeName()).isEqualTo("n");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void cardsOfAConfirmedBinding_areTheChosenOnes_whateverIsSeenFirst(boolean confirmedFirst) {
    gpus.put(node("n", Order.FREE, AtOnce.ANY, card("a", 0), card("b", 0)));
    PodModel pod = GpuCluster.whole("one", 1).build();
    place(pod);
    PodModel edited =
        Pods.from(pod)
            .on("n")
            .givenCards(Optional.of(new CardAssignment("agent", Map.of("main", List.of("b")))))
            .build();

    if (!confirmedFirst) {
      gpus.put(edited);
    }
    gpus.cluster.apply(new ClusterEvent.BindingConfirmed(pod.ref()));
    if (confirmedFirst) {
      gpus.put(edited);
    }

    assertThat(gpus.used()).containsEntry("n", List.of(1_000, 0));
  }

  @Test
  void anAgentThatChoosesByItself_correctsTheCards_untilItHasHandedThemOut() {
    gpus.put(node("n", Order.FULLEST_FIRST, AtOnce.BY_AMOUNT, card("a", 0), card("b", 0)));
    PodModel pod = GpuCluster.whole("one", 1).build();
    PodModel bound = shown(pod, place(pod), true);
    Optional<CardAssignment> corrected =
        Optional.of(new CardAssignment("agent", Map.of("main", List.of("b"))));

    PodModel served = Pods.from(bound).givenCards(corrected).awaitsCards(false).build();
    gpus.put(served);
    assertThat(gpus.used()).containsEntry("n", List.of(0, 1_000));

    gpus.put(Pods.from(served).givenCards(bound.cards()).build());
    assertThat(gpus.used()).containsEntry("n", List.of(0, 1_000));
  }

  @Test
  void aNodeThatIsGone_hasNobodyWaiting_whenItComesBack() {
    NodeModel node = node("n", Order.FREE, AtOnce.ONE, card("a", 0), card("b", 0));
    gpus.put(node);
    PodModel first = GpuCluster.whole("first", 1).build();
    place(first);
    gpus.cluster.apply(new ClusterEvent.NodeRemoved("n"));
    gpus.cluster.apply(new ClusterEvent.PodRemoved(first.ref()));
    gpus.put(node);

    assertThat(place(GpuCluster.whole("second", 1).build()).nodeName()).isEqualTo("n");
  }

  @Test
  void aPodThatTheAgentDoesNotUnderstand_isKeptOff_andOneThatIsThereMakesTheCardsUnknown() {
    gpus.put(node("n", Order.FREE, AtOnce.ANY, card("a", 0)));
    PodCards foreign =
        new PodCards(
            List.of(CardRequest.whole("main", 1)), Set.of(), Set.of("other"), Optional.empty());
    gpus.put(Pods.pod("foreign").cards(foreign).build());
    assertThat(gpus.cluster.unschedulable().message())
        .contains("had no GPU agent for the resources that the pod requests");

    gpus.put(
        Pods.pod("there")
            .cards(foreign)
            .on("n")
            .givenCards(Optional.of(new CardAssignment("other", Map.of("main", List.of("a")))))
            .build());
    gpus.put(GpuCluster.share("share", 100).build());
    assertThat(gpus.cluster.unschedulable().message())
        .contains("had a pod whose GPU cards are unknown");
  }

  @Test
  void cardsThatCannotBeRead_takeOnlyTheirNodesGpusOut() {
    gpus.put(GpuCluster.node("broken").cards(CardInventory.unusable("agent", "not JSON")).build());

    gpus.put(GpuCluster.whole("gpu", 1).build());
    assertThat(gpus.cluster.unschedulable().message())
        .contains("had a description of GPU cards that cannot be parsed");
    assertThat(place(Pods.pod("cpu").milliCpu(100).build()).nodeName()).isEqualTo("broken");
  }

  @Test
  void aCardIsSharedByNoMoreContainersThanItsSlots() {
    gpus.put(node("n", Order.FREE, AtOnce.ANY, card("a", 2)));
    place(GpuCluster.share("one", 100).build());
    place(GpuCluster.share("two", 100).build());

    gpus.put(GpuCluster.share("three", 100).build());

    assertThat(gpus.cluster.unschedulable().message()).contains("Insufficient free GPU cards");
  }

  @Test
  void sharesOfSeveralCards_areOfDifferentCards_andPartsOfTheirMemory() {
    gpus.put(node("n", Order.FREE, AtOnce.ANY, card("a", 0), card("b", 0), card("c", 0)));
    PodCards halves = PodCards.of(new CardRequest("main", 2, 0, 0, 60));
    assertThat(cards(place(Pods.pod("one").cards(halves).build())))
        .isEqualTo("{\"main\":[\"a\",\"b\"]}");

    gpus.put(Pods.pod("two").cards(halves).build());

    assertThat(gpus.cluster.unschedulable().message()).contains("Insufficient free GPU cards");
  }

  @Test
  void cardsThatAgentsDescribeInAnotherOrder_areKnownByName() {
    gpus.put(node("n", Order.FREE, AtOnce.ANY, card("a", 0), card("b", 0)));
    PodModel pod = GpuCluster.whole("one", 1).build();
    Decision.Placed placed = place(pod);
    shown(pod, placed, false);
    assertThat(gpus.used()).containsEntry("n", List.of(1_000, 0));

    gpus.put(node("n", Order.FREE, AtOnce.ANY, card("c", 0), card("b", 0), card("a", 0)));

    assertThat(gpus.used()).containsEntry("n", List.of(0, 0, 1_000));
  }
}
