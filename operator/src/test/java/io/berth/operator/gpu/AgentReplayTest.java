package io.berth.operator.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/**
 * The device plugins of gpu-manager and HAMi beside Berth, as their sources have them act, in many
 * orders in which Bindings, their answers, the watch, the kubelet and the plugins can come: no
 * plugin fails a pod, each pod is placed once, and in the end the engine counts what the
 * annotations say.
 */
class AgentReplayTest {
  private static final int ORDERS = 25;

  private static Pod vcuda(String name, int cores) {
    return GpuObjects.pod(
        name,
        GpuObjects.container(
            "c",
            cores < 100
                ? Map.of(Vcuda.CORES, String.valueOf(cores), Vcuda.MEMORY, "8")
                : Map.of(Vcuda.CORES, String.valueOf(cores))));
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

  private static AgentReplay vcudas(Pod... pods) {
    return new AgentReplay(GpuObjects.gpuManagerNode("n", 2), new VcudaAgent(2), List.of(pods));
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
    assertThat(replay.placements())
        .as("placed once, " + story)
        .hasSize(pods)
        .doesNotHaveDuplicates();
    assertThat(replay.used()).as("counted, " + story).isEqualTo(replay.usedAfterARestart());
    assertThat(replay.used()).as("" + story).allMatch(used -> used <= 1_000);
  }

  private static void inManyOrders(Supplier<AgentReplay> beginning, int pods) {
    for (int seed = 0; seed < ORDERS; seed++) {
      inARandomOrder(beginning.get(), pods, new Random(seed));
    }
  }

  private static void inARandomOrder(AgentReplay replay, int pods, Random random) {
    List<String> story = new ArrayList<>();
    List<String> actions = replay.actions();
    while (!actions.isEmpty()) {
      assertThat(story).hasSizeLessThan(200);
      story.add(actions.get(random.nextInt(actions.size())));
      act(replay, story);
      actions = replay.actions();
    }
    assertWell(replay, pods, story);
  }

  @Test
  void gpuManager_twoShares() {
    inManyOrders(() -> vcudas(vcuda("a", 50), vcuda("b", 30)), 2);
  }

  @Test
  void gpuManager_wholeCardsThatItChoosesOtherwise_andAShare() {
    inManyOrders(() -> vcudas(vcuda("whole", 100), vcuda("share", 30)), 2);
  }

  /** Of equal amounts it would take the pod that was decided on first for the other. */
  @Test
  void gpuManager_wholeCardsOfDifferentNumbers_thatItChoosesOtherwise() {
    inManyOrders(
        () ->
            new AgentReplay(
                GpuObjects.gpuManagerNode("n", 3),
                new VcudaAgent(3),
                List.of(vcuda("one", 100), vcuda("two", 200))),
        2);
  }

  @Test
  void gpuManager_manyShares() {
    inManyOrders(
        () ->
            vcudas(vcuda("a", 30), vcuda("b", 20), vcuda("c", 50), vcuda("d", 60), vcuda("e", 10)),
        5);
  }

  @Test
  void hami_aShareAndAWholeCard() {
    inManyOrders(() -> hamis(hami("share", 1, 4_000), hami("whole", 1, 0)), 2);
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
}
