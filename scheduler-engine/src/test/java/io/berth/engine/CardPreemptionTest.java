package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.policy.CardChoice;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.Outcome;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.CardAssignment;
import io.berth.engine.model.CardRequest;
import io.berth.engine.model.PodCards;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Preemption for GPU cards: as few victims as possible, and those of low priority. */
class CardPreemptionTest {
  private static final long NODE_MILLI_CPU = 64_000;

  /** A pod on the node, with its share of these cards, and its CPU. */
  private record Held(String name, int priority, List<Integer> cards, int milliGpu, long milliCpu) {
    PodModel model() {
      return Pods.pod(name)
          .milliCpu(milliCpu)
          .priority(priority)
          .cards(PodCards.of(request("main", cards.size(), milliGpu)))
          .on("n")
          .givenCards(
              Optional.of(
                  new CardAssignment(Map.of("main", cards.stream().map(String::valueOf).toList()))))
          .build();
    }
  }

  /** A node full of pods, and the pod that preempts them. */
  private record Scene(
      int cards, List<Held> pods, int wantedCards, int wantedMilliGpu, long wantedMilliCpu) {
    boolean fitsWithout(List<Held> victims) {
      int[] used = new int[cards];
      long milliCpu = wantedMilliCpu;
      for (Held pod : pods) {
        if (!victims.contains(pod)) {
          pod.cards().forEach(card -> used[card] += pod.milliGpu());
          milliCpu += pod.milliCpu();
        }
      }
      long suitable = IntStream.of(used).filter(milli -> 1_000 - milli >= wantedMilliGpu).count();
      return suitable >= wantedCards && milliCpu <= NODE_MILLI_CPU;
    }

    PodModel preemptor() {
      return Pods.pod("preemptor")
          .milliCpu(wantedMilliCpu)
          .priority(1_000)
          .cards(PodCards.of(request("main", wantedCards, wantedMilliGpu)))
          .build();
    }

    @Override
    public String toString() {
      return "%d x %d of %d cards, beside %s".formatted(wantedCards, wantedMilliGpu, cards, pods);
    }
  }

  private static CardRequest request(String container, int cards, int milliGpu) {
    return new CardRequest(container, cards, milliGpu, 0, 0);
  }

  /** Returns the criteria to compare sets of victims: the highest priority, the number, the sum. */
  private static String cost(List<Held> victims) {
    int highest = victims.stream().mapToInt(Held::priority).max().orElse(-1);
    int sum = victims.stream().mapToInt(Held::priority).sum();
    return "%05d %05d %05d".formatted(highest, victims.size(), sum);
  }

  private static Optional<List<Held>> leastByTryingAll(Scene scene) {
    List<List<Held>> sets = new ArrayList<>();
    for (int bits = 0; bits < 1 << scene.pods().size(); bits++) {
      int set = bits;
      List<Held> victims =
          IntStream.range(0, scene.pods().size())
              .filter(i -> (set >> i & 1) == 1)
              .mapToObj(scene.pods()::get)
              .toList();
      if (scene.fitsWithout(victims)) {
        sets.add(victims);
      }
    }
    return sets.stream().min(Comparator.comparing(CardPreemptionTest::cost));
  }

  private static Scene scene(Random random) {
    int cards = 2 + random.nextInt(3);
    int[] used = new int[cards];
    List<Held> pods = new ArrayList<>();
    for (int i = 0; i < 9; i++) {
      boolean whole = random.nextInt(4) == 0;
      int milliGpu = whole ? 1_000 : 100 * (1 + random.nextInt(7));
      List<Integer> room =
          IntStream.range(0, cards).filter(card -> 1_000 - used[card] >= milliGpu).boxed().toList();
      int wanted = whole || random.nextInt(3) == 0 ? 1 + random.nextInt(2) : 1;
      if (room.size() >= wanted) {
        List<Integer> chosen = room.subList(0, wanted);
        chosen.forEach(card -> used[card] += milliGpu);
        pods.add(
            new Held(
                "pod-" + i,
                random.nextInt(3) * 100,
                List.copyOf(chosen),
                milliGpu,
                1_000L + random.nextInt(12) * 1_000L));
      }
    }
    boolean whole = random.nextBoolean();
    return new Scene(
        cards,
        pods,
        1 + random.nextInt(whole ? cards : 2),
        whole ? 1_000 : 100 * (3 + random.nextInt(7)),
        random.nextInt(3) == 0 ? 40_000 : 1_000);
  }

  static List<Scene> scenes() {
    Random random = new Random(7);
    return IntStream.range(0, 300).mapToObj(i -> scene(random)).toList();
  }

  private static GpuCluster cluster(Scene scene) {
    GpuCluster gpus = new GpuCluster(CardChoice.LEAST_FRAGMENTATION);
    gpus.put(GpuCluster.node("n", GpuCluster.cards(scene.cards(), "T4")).build());
    scene.pods().forEach(pod -> gpus.put(pod.model()));
    return gpus;
  }

  @ParameterizedTest
  @MethodSource("scenes")
  void victims_areAsGoodAsTheBestOfAllSets(Scene scene) {
    Optional<List<Held>> best = leastByTryingAll(scene);
    GpuCluster gpus = cluster(scene);
    gpus.put(scene.preemptor());

    Outcome outcome = gpus.cluster.next();

    if (best.isEmpty()) {
      assertThat(outcome).isInstanceOf(Decision.Unschedulable.class);
    } else if (best.get().isEmpty()) {
      assertThat(outcome).isInstanceOf(Decision.Placed.class);
    } else {
      Map<String, Held> byName =
          scene.pods().stream().collect(Collectors.toMap(Held::name, pod -> pod));
      assertThat(outcome).isInstanceOf(Decision.Nominated.class);
      List<Held> victims =
          ((Decision.Nominated) outcome)
              .victims().stream().map(victim -> byName.get(victim.name())).toList();
      assertThat(scene.fitsWithout(victims)).as("room without " + victims).isTrue();
      assertThat(cost(victims)).as("instead of " + best.get()).isEqualTo(cost(best.get()));
    }
  }

  /** If pods were spared one by one, one would remain on each card. */
  @Test
  void aWholeCard_isTakenFromOnePodAlone_notFromManyThatShareOne() {
    List<Held> pods = new ArrayList<>();
    pods.add(new Held("older", 0, List.of(0), 900, 100));
    for (int i = 0; i < 9; i++) {
      pods.add(new Held("share-" + i, 0, List.of(1), 100, 100));
    }
    Scene scene = new Scene(2, pods, 1, 1_000, 100);
    GpuCluster gpus = cluster(scene);

    gpus.put(scene.preemptor());

    assertThat(gpus.cluster.nominated().victims())
        .extracting(PodRef::name)
        .containsExactly("older");
  }

  /** Without the limit, three pods of low priority would go instead of one of higher priority. */
  @Test
  void aSetOfVictimsWithinThePolicysLimit_isPreferredToABetterOneBeyondIt() {
    List<Held> pods =
        List.of(
            new Held("important", 10, List.of(0), 1_000, 100),
            new Held("whole", 0, List.of(1), 1_000, 100),
            new Held("share-0", 0, List.of(2), 500, 100),
            new Held("share-1", 0, List.of(2), 500, 100));
    Scene scene = new Scene(3, pods, 2, 1_000, 100);
    GpuCluster unlimited = cluster(scene);
    unlimited.put(scene.preemptor());
    GpuCluster limited = cluster(scene);
    limited.cluster.apply(
        new ClusterEvent.PolicyServed(
            TestCluster.policy(TestCluster.POLICY, "{\"preemption\": {\"maxVictimsPerPod\": 2}}")));
    limited.put(scene.preemptor());

    assertThat(unlimited.cluster.nominated().victims())
        .extracting(PodRef::name)
        .containsExactlyInAnyOrder("whole", "share-0", "share-1");
    assertThat(limited.cluster.nominated().victims())
        .extracting(PodRef::name)
        .containsExactlyInAnyOrder("important", "whole");
  }

  @Test
  void theNodeWhereFewerPodsHaveToGo_isChosen_thoughEachSparesAsManyAsItCan() {
    GpuCluster gpus = new GpuCluster(CardChoice.LEAST_FRAGMENTATION);
    for (String name : List.of("many", "few")) {
      gpus.put(GpuCluster.node(name, GpuCluster.cards(8, "T4")).build());
    }
    for (int card = 0; card < 8; card++) {
      for (int i = 0; i < (card < 4 ? 2 : 4); i++) {
        put(gpus, "many-%d-%d".formatted(card, i), "many", card, 200);
      }
      for (int i = 0; i < (card < 4 ? 4 : 1); i++) {
        put(gpus, "few-%d-%d".formatted(card, i), "few", card, 200);
      }
    }

    gpus.put(GpuCluster.whole("p", 4).priority(500).build());

    Decision.Nominated nominated = gpus.cluster.nominated();
    assertThat(nominated.nodeName()).isEqualTo("few");
    assertThat(nominated.victims())
        .extracting(PodRef::name)
        .containsExactlyInAnyOrder("few-4-0", "few-5-0", "few-6-0", "few-7-0");
  }

  private static void put(GpuCluster gpus, String name, String node, int card, int milliCores) {
    gpus.put(
        GpuCluster.share(name, milliCores)
            .on(node)
            .givenCards(
                Optional.of(new CardAssignment(Map.of("main", List.of(String.valueOf(card))))))
            .build());
  }
}
