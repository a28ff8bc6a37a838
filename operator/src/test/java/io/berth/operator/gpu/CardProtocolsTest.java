package io.berth.operator.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.kube.KubeEvents;
import io.berth.engine.model.Card;
import io.berth.engine.model.CardAssignment;
import io.berth.engine.model.CardInventory;
import io.berth.engine.model.CardInventory.AtOnce;
import io.berth.engine.model.CardInventory.Order;
import io.berth.engine.model.CardRequest;
import io.berth.engine.model.PodCards;
import io.berth.engine.model.PodRef;
import io.berth.engine.model.ResourceAmounts;
import io.berth.operator.gpu.CardProtocol.Placement;
import io.berth.operator.gpu.CardProtocol.Writing;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The formats of the GPU agents that Berth reads and writes. */
class CardProtocolsTest {
  private static final Instant NOW = Instant.parse("2026-01-02T03:04:05.000000006Z");

  private final CardProtocols protocols = new CardProtocols();

  private Writing write(Pod pod, Node node, Map<String, List<String>> cards) {
    CardInventory inventory = protocols.inventory(node);
    return CardProtocols.of(inventory)
        .orElseThrow()
        .write(
            new Placement(
                new PodRef("default", "p", "uid-p"),
                CardProtocols.podOf(pod).orElseThrow(),
                new CardAssignment(inventory.agent(), cards),
                node.getMetadata().getName(),
                inventory,
                NOW));
  }

  private PodCards demand(String... resources) {
    return protocols.demand(GpuObjects.pod("p", asking("c", resources)));
  }

  private Optional<CardAssignment> assignment(Pod pod) {
    return protocols.assignment(pod, protocols.demand(pod));
  }

  private boolean awaitsCards(Pod pod) {
    return protocols.awaitsCards(pod, protocols.demand(pod));
  }

  private static Container asking(String name, String... resources) {
    Map<String, String> amounts = new HashMap<>();
    for (int i = 0; i < resources.length; i += 2) {
      amounts.put(resources[i], resources[i + 1]);
    }
    return GpuObjects.container(name, amounts);
  }

  private static Pod withInit(Pod pod, Container... containers) {
    return new PodBuilder(pod).editSpec().withInitContainers(containers).endSpec().build();
  }

  // ------------------------------------------------------------------------- gpu-manager

  @Test
  void gpuManager_offersTheCardsOfTheNodesCapacity_inItsOwnOrder_onePodThatSharesAtATime() {
    CardInventory cards = protocols.inventory(GpuObjects.gpuManagerNode("n", 2));

    assertThat(cards.order()).isEqualTo(Order.FULLEST_FIRST);
    assertThat(cards.atOnce()).isEqualTo(AtOnce.BY_AMOUNT);
    assertThat(cards.cards())
        .containsExactly(
            new Card("0", "", 1_000, 64 * 256, 0, "", -1, true),
            new Card("1", "", 1_000, 64 * 256, 0, "", -1, true));
  }

  @Test
  void gpuManager_sharesByHundredthsAndBlocks_andGivesWholeCardsByTheHundred() {
    assertThat(demand(Vcuda.CORES, "30", Vcuda.MEMORY, "4").requests())
        .containsExactly(CardRequest.share("c", 300, 1_024));
    assertThat(demand(Vcuda.CORES, "200").requests()).containsExactly(CardRequest.whole("c", 2));
  }

  @Test
  void gpuManager_getsTheCardOfEachContainer_itsNode_theTime_andThatNothingIsAssigned() {
    Pod pod =
        GpuObjects.pod(
            "p",
            asking("first", Vcuda.CORES, "30", Vcuda.MEMORY, "4"),
            asking("without"),
            asking("whole", Vcuda.CORES, "200"));

    Writing writing =
        write(
            pod,
            GpuObjects.gpuManagerNode("n", 4),
            Map.of("first", List.of("1"), "whole", List.of("2", "3")));

    assertThat(writing.annotations())
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                "tencent.com/predicate-gpu-idx-0", "1",
                "tencent.com/predicate-gpu-idx-2", "2,3",
                "tencent.com/predicate-node", "n",
                "tencent.com/predicate-time", "1767323045000000006",
                "tencent.com/gpu-assigned", "false"));
    assertThat(writing.labels()).isEmpty();
    assertThat(writing.locksNode()).isFalse();
    Pod bound = GpuObjects.bound(pod, "n", writing.annotations());
    assertThat(assignment(bound))
        .contains(
            new CardAssignment(
                Vcuda.AGENT, Map.of("first", List.of("1"), "whole", List.of("2", "3"))));
    assertThat(awaitsCards(bound)).isTrue();
    assertThat(awaitsCards(GpuObjects.annotated(bound, Map.of(Vcuda.ASSIGNED, "true")))).isFalse();
    assertThat(awaitsCards(GpuObjects.running(bound))).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "0, 4, asks for tencent.com/vcuda-memory without tencent.com/vcuda-core",
    "50, 0, asks for a share of a card by tencent.com/vcuda-core without tencent.com/vcuda-memory",
    "150, 4, asks for 150 of tencent.com/vcuda-core: ask for a share",
    "9000000, 0, asks for 90000 cards: no node has more than 1024"
  })
  void gpuManager_nonsenseIsNamed(String cores, String memory, String problem) {
    PodCards demand = demand(Vcuda.CORES, cores, Vcuda.MEMORY, memory);

    assertThat(demand.problem()).get().asString().startsWith("container c ").contains(problem);
  }

  @Test
  void gpuManager_givesNoCardsToInitContainers() {
    Pod pod =
        withInit(
            GpuObjects.pod("p", asking("c", Vcuda.CORES, "100")),
            asking("warm-up", Vcuda.CORES, "100"));

    assertThat(protocols.demand(pod).problem()).get().asString().contains("warm-up is an init");
  }

  // ------------------------------------------------------------------------- HAMi

  @Test
  void hami_describesItsCardsInJson_whereWhatIsAbsentIsZeroOrFalse() {
    String register =
        """
        [{"id":"GPU-a","count":10,"devmem":16384,"devcore":100,"type":"NVIDIA-T4","numa":1,"mode":"hami-core","health":true},
         {"id":"GPU-b","index":1,"count":4,"devmem":32768,"devcore":200,"type":"NVIDIA-V100","health":true},
         {"id":"GPU-c","index":2,"count":10,"devmem":16384,"devcore":100,"type":"NVIDIA-T4"},
         {"id":"GPU-d","index":3,"count":7,"devmem":40960,"devcore":100,"type":"NVIDIA-A100","mode":"mig","health":true}]
        """;

    CardInventory cards =
        protocols.inventory(
            GpuObjects.node("n", Map.of(HamiRegister.ANNOTATION, register), Map.of()));

    assertThat(cards.atOnce()).isEqualTo(AtOnce.ONE);
    assertThat(cards.cards())
        .containsExactly(
            new Card("GPU-a", "NVIDIA-T4", 1_000, 16_384, 10, "", 1, true),
            new Card("GPU-b", "NVIDIA-V100", 2_000, 32_768, 4, "", 0, true),
            new Card("GPU-c", "NVIDIA-T4", 1_000, 16_384, 10, "", 0, false),
            new Card("GPU-d", "NVIDIA-A100", 1_000, 40_960, 7, "", 0, false));
  }

  @Test
  void hami_describedItsCardsWithColonsBefore_andCordonedOnesAreNotUsed() {
    Node node =
        GpuObjects.node(
            "n",
            Map.of(
                HamiRegister.ANNOTATION,
                "GPU-a,10,16384,100,NVIDIA-T4,0,true:GPU-b,10,16384,100,NVIDIA-T4,1,true,1,hami-core:GPU-c,10,16384,100,NVIDIA-T4,0,false:",
                HamiRegister.CORDON,
                "GPU-x, GPU-b"),
            Map.of());

    assertThat(protocols.inventory(node).cards())
        .extracting(Card::id, Card::numaNode, Card::healthy)
        .containsExactly(
            tuple("GPU-a", 0, true), tuple("GPU-b", 1, false), tuple("GPU-c", 0, false));
  }

  @Test
  void hami_sharesByMemoryAndCores_andGivesWholeCardsWhereNeitherIsAsked() {
    assertThat(demand(Hami.COUNT, "2").requests()).containsExactly(CardRequest.whole("c", 2));
    assertThat(demand(Hami.COUNT, "1", Hami.CORES, "100", Hami.MEMORY, "9").requests())
        .containsExactly(CardRequest.whole("c", 1));
    assertThat(demand(Hami.COUNT, "2", Hami.MEMORY, "4000").requests())
        .containsExactly(new CardRequest("c", 2, 0, 4_000, 0));
    assertThat(demand(Hami.COUNT, "1", Hami.CORES, "30").requests())
        .containsExactly(new CardRequest("c", 1, 300, 0, 100));
    assertThat(demand(Hami.COUNT, "1", Hami.MEMORY_PERCENT, "50").requests())
        .containsExactly(new CardRequest("c", 1, 0, 0, 50));
    assertThat(demand(Hami.COUNT, "1").agents()).containsExactlyInAnyOrder("hami", "plain", "");
    assertThat(demand(Hami.COUNT, "1", Hami.CORES, "30").agents()).isEqualTo(Set.of("hami"));
  }

  @Test
  void hami_receivesTheDevicesOfEachContainer_initContainersFirst_andAllThatFindsThePod() {
    Pod pod =
        withInit(
            GpuObjects.pod(
                "p",
                asking("main", Hami.COUNT, "2", Hami.MEMORY_PERCENT, "50", Hami.CORES, "30"),
                asking("without"),
                asking("whole", Hami.COUNT, "1")),
            asking("warm-up", Hami.COUNT, "1", Hami.MEMORY_PERCENT, "25"),
            asking("plain-init"));

    Writing writing =
        write(
            pod,
            GpuObjects.hamiNode("n", 3),
            Map.of("main", List.of("GPU-n-0", "GPU-n-1"), "whole", List.of("GPU-n-2")));

    String devices =
        "GPU-n-0,NVIDIA,8192,0:;;GPU-n-0,NVIDIA,16384,30:GPU-n-1,NVIDIA,16384,30:;;GPU-n-2,NVIDIA,32768,0:;";
    assertThat(writing.annotations())
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                "hami.io/vgpu-node", "n",
                "hami.io/vgpu-time", "1767323045",
                "hami.io/vgpu-devices-to-allocate", devices,
                "hami.io/vgpu-devices-allocated", devices,
                "hami.io/bind-phase", "allocating",
                "hami.io/bind-time", "1767323045"));
    assertThat(writing.labels()).containsExactly(Map.entry("hami.io/vgpu-node", "n"));
    assertThat(writing.locksNode()).isTrue();
    Pod bound = GpuObjects.bound(pod, "n", writing.annotations());
    assertThat(assignment(bound))
        .contains(
            new CardAssignment(
                Hami.AGENT,
                Map.of("main", List.of("GPU-n-0", "GPU-n-1"), "whole", List.of("GPU-n-2"))));
    assertThat(awaitsCards(bound)).isTrue();
    assertThat(awaitsCards(GpuObjects.annotated(bound, Map.of(Hami.BIND_PHASE, "success"))))
        .isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "nvidia.com/gpumem, 4000, asks for nvidia.com/gpumem without nvidia.com/gpu",
    "nvidia.com/gpucores, 30, asks for nvidia.com/gpucores without nvidia.com/gpu"
  })
  void hami_partsOfNoCardAreNamed(String resource, String amount, String problem) {
    assertThat(demand(resource, amount).problem()).get().asString().contains(problem);
  }

  @ParameterizedTest
  @ValueSource(strings = {"nvidia.com/gpucores", "nvidia.com/gpumem-percentage"})
  void hami_moreThanACardHasIsNamed(String resource) {
    assertThat(demand(Hami.COUNT, "1", resource, "150").problem())
        .get()
        .asString()
        .contains("asks for 150 of " + resource + ": a card has 100");
  }

  @Test
  void hami_annotationsThatBerthDoesNotFollow_areNamed() {
    Pod pod =
        GpuObjects.annotated(
            GpuObjects.pod("p", asking("c", Hami.COUNT, "1")),
            Map.of("nvidia.com/use-gputype", "A100"));

    assertThat(protocols.demand(pod).problem())
        .get()
        .asString()
        .contains("Berth does not support annotation nvidia.com/use-gputype")
        .contains("gpu.sched.cloud.ctrip.com/models");
  }

  // ------------------------------------------------------------------------- plain annotations

  @Test
  void plainCards_areDescribedByAnAnnotation_andAssignedByAnother() {
    Node node =
        GpuObjects.plainNode(
            "n",
            """
            [{"index":0,"memory":16384,"model":"V100M16","numa":0,"link":"a"},
             {"index":3,"memory":16384,"model":"V100M16","numa":1,"link":"b","healthy":false}]
            """);
    Pod pod =
        withInit(
            GpuObjects.pod("p", asking("c", PlainCards.MILLI_GPU, "500", PlainCards.MEMORY, "100")),
            asking("warm-up", PlainCards.MILLI_GPU, "100"));

    assertThat(protocols.inventory(node).cards())
        .containsExactly(
            new Card("0", "V100M16", 1_000, 16_384, 0, "a", 0, true),
            new Card("3", "V100M16", 1_000, 16_384, 0, "b", 1, false));
    assertThat(protocols.demand(pod).requests()).containsExactly(CardRequest.share("c", 500, 100));
    Writing writing = write(pod, node, Map.of("c", List.of("0")));
    assertThat(writing.annotations())
        .containsExactly(
            Map.entry("gpu.sched.cloud.ctrip.com/cards", "{\"c\":[0],\"warm-up\":[0]}"));
    assertThat(assignment(GpuObjects.bound(pod, "n", writing.annotations())))
        .contains(new CardAssignment(PlainCards.AGENT, Map.of("c", List.of("0"))));
  }

  @Test
  void plainCards_modelsOfThePodNarrowTheCards() {
    Pod pod =
        GpuObjects.annotated(
            GpuObjects.pod("p", asking("c", Hami.COUNT, "1")),
            Map.of(CardProtocols.MODELS, "V100M16, V100M32,"));

    assertThat(protocols.demand(pod).models()).containsExactlyInAnyOrder("V100M16", "V100M32");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "milli-gpu=1500 | asks for 1500 of gpu.sched.cloud.ctrip.com/milli-gpu: ask for a share",
        "milli-gpu=1000 memory-mib=5 | a whole card has all of its memory"
      })
  void plainCards_nonsenseIsNamed(String asked, String problem) {
    Map<String, String> resources = new HashMap<>();
    for (String one : asked.strip().split(" ")) {
      resources.put("gpu.sched.cloud.ctrip.com/" + one.split("=")[0], one.split("=")[1]);
    }

    assertThat(
            protocols.demand(GpuObjects.pod("p", GpuObjects.container("c", resources))).problem())
        .get()
        .asString()
        .contains(problem.strip());
  }

  // ------------------------------------------------------------------------- several protocols

  @Test
  void aPodThatAsksSeveralAgents_isReported() {
    assertThat(demand(Vcuda.CORES, "100", Hami.COUNT, "1").problem())
        .get()
        .asString()
        .contains("several agents (gpu-manager, hami)");
  }

  @Test
  void aNodeThatShowsSignsOfSeveralAgents_hasOne() {
    Node mixed =
        new NodeBuilder(GpuObjects.hamiNode("n", 1))
            .editStatus()
            .addToCapacity(Vcuda.CORES, new Quantity("100"))
            .endStatus()
            .build();

    assertThat(protocols.inventory(mixed).agent()).isEqualTo("hami");
  }

  @Test
  void aNodeWhosePluginOfHamiIsGone_isNoNodeOfCountedCards() {
    Node left =
        new NodeBuilder(GpuObjects.hamiNode("n", 1))
            .editMetadata()
            .addToAnnotations("hami.io/node-handshake", "Deleted_2026-01-01 00:00:00")
            .endMetadata()
            .build();

    assertThat(protocols.inventory(left).problem())
        .get()
        .asString()
        .contains("hami.io/node-handshake says that HAMi's device plugin is gone")
        .contains("remove its annotations");
  }

  @Test
  void aNodeThatHamiHasNotDescribedYet_isNoNodeOfCountedCards() {
    Node starting =
        GpuObjects.node(
            "n", Map.of("hami.io/node-handshake", "Requesting_2026-01-01 00:00:00"), Map.of());

    assertThat(protocols.inventory(starting).problem())
        .get()
        .asString()
        .contains("has not written annotation hami.io/node-nvidia-register");
  }

  @Test
  void aNodeThatAnotherAgentHasTakenOverFromHami_isThatOnes() {
    Node taken =
        new NodeBuilder(GpuObjects.plainNode("n", "[{\"index\":0,\"memory\":16384}]"))
            .editMetadata()
            .addToAnnotations("hami.io/node-handshake", "Deleted_2026-01-01 00:00:00")
            .endMetadata()
            .build();

    assertThat(protocols.inventory(taken).agent()).isEqualTo(PlainCards.AGENT);
  }

  @Test
  void hami_prioritiesAreNotComparedWithNodes() {
    assertThat(protocols.measuresCards("nvidia.com/priority")).isTrue();
    assertThat(demand(Hami.COUNT, "1", Hami.MEMORY, "1000", "nvidia.com/priority", "1").requests())
        .containsExactly(new CardRequest("c", 1, 0, 1_000, 0));
  }

  @Test
  void hami_hadNoSlotsForInitContainersBefore() {
    Pod pod =
        GpuObjects.bound(
            withInit(
                GpuObjects.pod(
                    "p",
                    asking("first", Hami.COUNT, "1", Hami.MEMORY, "6000"),
                    asking("second", Hami.COUNT, "1", Hami.MEMORY, "6000")),
                asking("init")),
            "n",
            Map.of(
                "hami.io/vgpu-node",
                "n",
                "hami.io/vgpu-devices-allocated",
                "GPU-A,NVIDIA,6000,0:;GPU-B,NVIDIA,6000,0:;"));

    assertThat(assignment(pod))
        .contains(
            new CardAssignment(
                Hami.AGENT, Map.of("first", List.of("GPU-A"), "second", List.of("GPU-B"))));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "hami.io/node-nvidia-register | {\"id\":1} | '{\"id\"' does not have 7 or 9 fields",
        "hami.io/node-nvidia-register | [] | it has 0 cards",
        "hami.io/node-nvidia-register | [{\"id\":\"a\",\"devmem\":\"much\"}] | devmem of a card is"
            + " \"much\"",
        "hami.io/node-nvidia-register | [{\"id\":\"a\"},{\"id\":\"a\"}] | card 'a' has no unique"
            + " UUID",
        "hami.io/node-nvidia-register | GPU-a,ten,1,1,T4,0,true: | 'ten' in"
            + " 'GPU-a,ten,1,1,T4,0,true' is not a number",
        "hami.io/node-nvidia-register | GPU-a,1: | does not have 7 or 9 fields",
        "gpu.sched.cloud.ctrip.com/inventory | [{\"index\":0},{\"index\":0}] | index 0 appears"
            + " twice",
        "gpu.sched.cloud.ctrip.com/inventory | [{\"model\":\"T4\"}] | [0] has no index",
        "gpu.sched.cloud.ctrip.com/inventory | [{\"index\":0,\"ram\":1}] | [ram]; accepted:"
            + " healthy, index,",
        "gpu.sched.cloud.ctrip.com/inventory | nonsense | it is not JSON",
        "gpu.sched.cloud.ctrip.com/inventory | [{\"index\":0,\"memory\":-1}] | [0].memory is not an"
            + " integer"
      })
  void aDescriptionThatCannotBeRead_takesTheCardsOut_andSaysWhy(
      String key, String value, String problem) {
    CardInventory cards =
        protocols.inventory(GpuObjects.node("n", Map.of(key.strip(), value.strip()), Map.of()));

    assertThat(cards.cards()).isEmpty();
    assertThat(cards.problem()).get().asString().startsWith("annotation " + key.strip());
    assertThat(cards.problem()).get().asString().contains(problem.strip());
  }

  @Test
  void coresThatAreNotOfWholeCards_takeTheCardsOut() {
    Node node = GpuObjects.node("n", Map.of(), Map.of(Vcuda.CORES, "150"));

    assertThat(protocols.inventory(node).problem())
        .contains(
            "status.capacity[tencent.com/vcuda-core] is 150: use a multiple of 100, for at most"
                + " 1024 cards");
  }

  @Test
  void annotationsOfAnEarlierAssignment_areNoticedInAPodThatWaits() {
    Pod pod =
        GpuObjects.annotated(
            GpuObjects.pod("p", asking("c", Vcuda.CORES, "100")),
            Map.of("tencent.com/predicate-gpu-idx-0", "3", "hami.io/vgpu-node", "n", "mine", "x"));

    assertThat(CardProtocols.podOf(pod).orElseThrow().earlier())
        .containsExactlyInAnyOrder("tencent.com/predicate-gpu-idx-0", "hami.io/vgpu-node");
    assertThat(assignment(pod)).isEmpty();
  }

  @Test
  void sumsThatANodeReports_andThatPodsRequest_areReadByName() {
    KubeEvents events = new KubeEvents(protocols);
    Node node =
        new NodeBuilder(GpuObjects.plainNode("n", "[{\"index\":0}]"))
            .editStatus()
            .addToAllocatable(PlainCards.MILLI_GPU, new Quantity("1k"))
            .endStatus()
            .build();
    Pod pod =
        withInit(
            GpuObjects.pod(
                "p", asking("a", PlainCards.MILLI_GPU, "300"), asking("b", PlainCards.MEMORY, "8")),
            asking("init", PlainCards.MILLI_GPU, "400"));

    assertThat(((ClusterEvent.NodeUpserted) events.upserted(node)).node().cards().sums())
        .isEqualTo(ResourceAmounts.of(Map.of(PlainCards.MILLI_GPU, 1_000L)));
    assertThat(((ClusterEvent.PodUpserted) events.upserted(pod)).pod().spec().cards().sums())
        .isEqualTo(ResourceAmounts.of(Map.of(PlainCards.MILLI_GPU, 400L, PlainCards.MEMORY, 8L)));
    assertThat(
            ((ClusterEvent.NodeUpserted)
                    events.upserted(GpuObjects.plainNode("o", "[{\"index\":0}]")))
                .node()
                .cards()
                .sums())
        .isEqualTo(ResourceAmounts.none());
  }
}
