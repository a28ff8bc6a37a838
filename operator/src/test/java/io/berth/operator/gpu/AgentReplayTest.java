package io.berth.operator.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/**
 * The device plugins of gpu-manager and HAMi together with Berth, modeled on their sources, in
 * every possible order of Bindings, responses and failures, the watch, the kubelet and the plugins:
 * no plugin fails a pod or confuses it with another, each pod is placed once, and in the end the
 * engine counts the cards in the annotations.
 *
 * <p>Orders that lead to the same state are followed once. If there are too many pods for that, a
 * random sample of orders is followed.
 */
class AgentReplayTest {
  private static final int DRAWN_ORDERS = 25;
  private static final int MOST_STATES = 200_000;

  private static Pod vcuda(String name, int cores) {
    return GpuObjects.pod(name, vcudaContainer("c", cores));
  }

  private static Container vcudaContainer(String name, int cores) {
    return GpuObjects.container(
        name,
        cores < 100
            ? Map.of(Vcuda.CORES, String.valueOf(cores), Vcuda.MEMORY, "8")
            : Map.of(Vcuda.CORES, String.valueOf(cores)));
  }

  private static Pod hami(String name, int cards, int memory) {
    return GpuObjects.pod(
        name,
        GpuObjects.container(
            "c",
            memory == 0
                ? Map.of(Hami.COUNT, String.valueOf(cards))
                : Map.of(Hami.COUNT, String.valueOf(cards), Hami.MEMORY, String.valueOf(memory))));
  }

  private static AgentReplay vcudas(int cards, Pod... pods) {
    return new AgentReplay(
        GpuObjects.gpuManagerNode("n", cards), new VcudaAgent(cards), List.of(pods));
  }

  private static AgentReplay hamis(Pod... pods) {
    return new AgentReplay(GpuObjects.hamiNode("n", 2), new HamiAgent(), List.of(pods));
  }

  private static void act(AgentReplay replay, List<String> story) {
    try {
      replay.act(story.getLast());
    } catch (AssertionError failure) {
      throw new AssertionError(failure.getMessage() + " after " + story, failure);
    }
  }

  private static void assertWell(AgentReplay replay, int pods, List<String> story) {
    List<String> placements = new ArrayList<>(replay.placements());
    replay.failures().forEach(placements::remove);
    assertThat(placements).as("placed once, " + story).hasSize(pods).doesNotHaveDuplicates();
    assertThat(replay.used()).as("counted, " + story).isEqualTo(replay.usedAfterARestart());
    assertThat(replay.used()).as("" + story).allMatch(used -> used <= 1_000);
  }

  /** Follows every order, with one history for each reachable state. */
  private static void inEveryOrder(Supplier<AgentReplay> beginning, int pods) {
    Set<String> seen = new HashSet<>();
    List<List<String>> open = new ArrayList<>(List.of(List.of()));
    int ends = 0;
    while (!open.isEmpty()) {
      List<String> story = new ArrayList<>(open.removeLast());
      AgentReplay replay = beginning.get();
      for (int step = 1; step <= story.size(); step++) {
        act(replay, story.subList(0, step));
      }
      List<String> actions = replay.actions();
      while (!actions.isEmpty() && seen.add(replay.state())) {
        assertThat(seen).hasSizeLessThan(MOST_STATES);
        for (String later : actions.subList(1, actions.size())) {
          List<String> branch = new ArrayList<>(story);
          branch.add(later);
          open.add(branch);
        }
        story.add(actions.getFirst());
        act(replay, story);
        actions = replay.actions();
      }
      if (actions.isEmpty()) {
        ends++;
        assertWell(replay, pods, story);
      }
    }
    assertThat(ends).as("histories that end").isPositive();
  }

  private static void inManyOrders(Supplier<AgentReplay> beginning, int pods) {
    for (int seed = 0; seed < DRAWN_ORDERS; seed++) {
      AgentReplay replay = beginning.get();
      List<String> story = new ArrayList<>();
      inADrawnOrder(replay, new Random(seed), story);
      assertWell(replay, pods, story);
    }
  }

  private static void inADrawnOrder(AgentReplay replay, Random random, List<String> story) {
    List<String> actions = replay.actions();
    while (!actions.isEmpty()) {
      assertThat(story).hasSizeLessThan(200);
      story.add(actions.get(random.nextInt(actions.size())));
      act(replay, story);
      actions = replay.actions();
    }
  }

  @Test
  void gpuManager_twoShares() {
    inEveryOrder(() -> vcudas(2, vcuda("a", 50), vcuda("b", 30)), 2);
  }

  @Test
  void gpuManager_twoSharesOneOfWhichIsBoundAtTheSecondTry() {
    inEveryOrder(() -> vcudas(2, vcuda("a", 50), vcuda("b", 30)).whereBindingMayFail("a"), 2);
  }

  @Test
  void gpuManager_wholeCardsThatItChoosesOtherwise_andAShare() {
    inEveryOrder(() -> vcudas(2, vcuda("whole", 100), vcuda("share", 30)), 2);
  }

  @Test
  void gpuManager_wholeCardsOfDifferentNumbers_thatItChoosesOtherwise() {
    inEveryOrder(() -> vcudas(3, vcuda("one", 100), vcuda("two", 200)), 2);
  }

  /** With equal amounts, the plugin would confuse the pod with the one that was decided first. */
  @Test
  void gpuManager_wholeCardsOfEqualNumbers_thatItMayTakeForEachOther() {
    inEveryOrder(() -> vcudas(3, vcuda("a", 100), vcuda("b", 100)), 2);
  }

  @Test
  void gpuManager_equalWholeCards_oneOfWhichIsBoundAtTheSecondTry() {
    inEveryOrder(() -> vcudas(2, vcuda("a", 100), vcuda("b", 100)).whereBindingMayFail("a"), 2);
  }

  @Test
  void gpuManager_aPodOfSeveralContainers_besideOneThatAsksForWhatOneOfThemDoes() {
    inEveryOrder(
        () ->
            vcudas(
                4,
                GpuObjects.pod("two", vcudaContainer("c", 100), vcudaContainer("d", 200)),
                vcuda("one", 100)),
        2);
  }

  @Test
  void gpuManager_manySharesAndWholeCards() {
    inManyOrders(
        () ->
            vcudas(
                4,
                vcuda("a", 30),
                vcuda("b", 20),
                vcuda("whole", 100),
                vcuda("c", 50),
                vcuda("d", 60),
                vcuda("equal", 100),
                vcuda("e", 10)),
        7);
  }

  @Test
  void hami_aShareAndAWholeCard() {
    inEveryOrder(() -> hamis(hami("share", 1, 4_000), hami("whole", 1, 0)), 2);
  }

  @Test
  void hami_twoSharesOneOfWhichIsBoundAtTheSecondTry() {
    inEveryOrder(() -> hamis(hami("a", 1, 4_000), hami("b", 1, 4_000)).whereBindingMayFail("a"), 2);
  }

  @Test
  void hami_sharesOfOneCardAndOfTwo() {
    inManyOrders(
        () ->
            hamis(
                hami("a", 1, 9_000),
                hami("b", 2, 4_000),
                hami("c", 1, 10_000),
                hami("d", 1, 8_000),
                hami("e", 2, 1_000)),
        5);
  }

  @Test
  void aNodeThatChangesItsAgent_givesItsCardsToTheNextPod_onceThePodsOfTheOldAgentAreGone() {
    List<String> orders = new ArrayList<>();
    for (int steps = 0; steps <= 12; steps++) {
      AgentReplay replay = vcudas(2, vcuda("share", 50), vcuda("whole", 100));
      List<String> story = new ArrayList<>();
      Random random = new Random(steps);
      for (int i = 0; i < steps && !replay.actions().isEmpty(); i++) {
        story.add(replay.actions().get(random.nextInt(replay.actions().size())));
        act(replay, story);
      }

      replay.changeAgent(GpuObjects.hamiNode("n", 2), new HamiAgent());
      replay.create(hami("next", 1, 4_000));

      assertThat(replay.placements())
          .as("beside pods of the old agent, after " + story)
          .doesNotContain("next");
      replay.delete("share");
      replay.delete("whole");
      assertThat(replay.placements()).as("after " + story).contains("next");
      inADrawnOrder(replay, random, story);
      assertThat(replay.used()).as("" + story).isEqualTo(replay.usedAfterARestart());
      orders.add(story.toString());
    }
    assertThat(orders).doesNotHaveDuplicates();
  }
}
