package io.berth.operator.gpu;

import io.berth.engine.model.Card;
import io.berth.engine.model.CardAssignment;
import io.berth.engine.model.CardInventory;
import io.berth.engine.model.CardInventory.AtOnce;
import io.berth.engine.model.CardInventory.Order;
import io.berth.engine.model.CardRequest;
import io.berth.operator.gpu.GpuPod.GpuContainer;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The protocol of HAMi for NVIDIA cards.
 *
 * <p>(1) The device plugin describes the cards in an annotation of the node, and follows the choice
 * that a pod's annotations name. (2) It finds the pod by a lock, an annotation of the node, which
 * is taken before the Binding and released by the plugin: so one pod at a time is in its hands. (3)
 * When the last container has its cards, it writes {@code bind-phase: success}.
 */
final class Hami implements CardProtocol {
  static final String AGENT = "hami";
  static final String COUNT = "nvidia.com/gpu";

  /** In MiB per card. */
  static final String MEMORY = "nvidia.com/gpumem";

  static final String MEMORY_PERCENT = "nvidia.com/gpumem-percentage";

  /** In percent of each card. */
  static final String CORES = "nvidia.com/gpucores";

  /** The resources that measure a part of a card; nodes do not report them. */
  static final Set<String> MEASURES = Set.of(MEMORY, MEMORY_PERCENT, CORES);

  /** The resources that pods request for HAMi's libraries, and that no node has. */
  static final Set<String> NOT_COMPARED = Set.of("nvidia.com/priority");

  static final String TO_ALLOCATE = "hami.io/vgpu-devices-to-allocate";
  static final String ALLOCATED = "hami.io/vgpu-devices-allocated";
  static final String NODE = "hami.io/vgpu-node";

  /** In seconds since the epoch, like {@link #BIND_TIME}. */
  static final String TIME = "hami.io/vgpu-time";

  static final String BIND_TIME = "hami.io/bind-time";
  static final String BIND_PHASE = "hami.io/bind-phase";
  static final String ALLOCATING = "allocating";

  /** Annotations by which pods restrict HAMi's choice, and which Berth does not support. */
  private static final List<String> UNSUPPORTED =
      List.of(
          "nvidia.com/use-gputype",
          "nvidia.com/nouse-gputype",
          "nvidia.com/use-gpuuuid",
          "nvidia.com/nouse-gpuuuid",
          "nvidia.com/numa-bind",
          "nvidia.com/vgpu-mode");

  private static final String VENDOR = "NVIDIA";
  private static final int PERCENT = 100;

  @Override
  public String agent() {
    return AGENT;
  }

  @Override
  public Optional<CardInventory> inventory(Node node) {
    Map<String, String> annotations = node.getMetadata().getAnnotations();
    if (annotations == null || HamiRegister.isGone(annotations)) {
      return Optional.empty();
    }
    String register = annotations.get(HamiRegister.ANNOTATION);
    if (register == null) {
      return Optional.empty();
    }
    try {
      List<Card> cards =
          HamiRegister.cards(register, annotations.getOrDefault(HamiRegister.CORDON, ""));
      return Optional.of(new CardInventory(AGENT, cards, Order.FREE, AtOnce.ONE, Optional.empty()));
    } catch (MalformedException e) {
      return Optional.of(
          CardInventory.unusable(
              AGENT, "annotation " + HamiRegister.ANNOTATION + ": " + e.getMessage()));
    }
  }

  /**
   * Returns the unusable cards of a node that HAMi manages, but does not describe now: its device
   * plugin has just started, or is gone. The kubelet may still report a number of cards, but HAMi's
   * pods share them.
   */
  static Optional<CardInventory> notDescribed(Node node) {
    Map<String, String> annotations = node.getMetadata().getAnnotations();
    if (annotations == null || !HamiRegister.isOfHami(annotations)) {
      return Optional.empty();
    }
    String why =
        HamiRegister.isGone(annotations)
            ? "annotation %s says that HAMi's device plugin is gone"
                .formatted(HamiRegister.HANDSHAKE)
            : "HAMi's device plugin has not written annotation " + HamiRegister.ANNOTATION;
    return Optional.of(
        CardInventory.unusable(
            AGENT,
            why
                + ". If HAMi does not manage the node any more, remove its annotations hami.io/*"
                + " from the node"));
  }

  @Override
  public Optional<Demand> demand(GpuPod pod, Map<String, String> annotations) {
    boolean measured = MEASURES.stream().anyMatch(pod::asksFor);
    if (!measured && !pod.asksFor(COUNT)) {
      return Optional.empty();
    }
    for (GpuContainer container : pod.containers()) {
      Optional<String> problem = problem(container);
      if (problem.isPresent()) {
        return problem.map(Demand::impossible);
      }
    }
    // Every protocol supports whole cards, even where cards are only counted.
    return Optional.of(
        new Demand(
            InitRequests.of(pod, Hami::request).requests(),
            measured ? Set.of(AGENT) : Set.of(AGENT, PlainCards.AGENT, ""),
            unsupported(annotations)));
  }

  private static Optional<String> unsupported(Map<String, String> annotations) {
    return UNSUPPORTED.stream()
        .filter(key -> !annotations.getOrDefault(key, "").isBlank())
        .findFirst()
        .map(
            key ->
                "Berth does not support annotation %s: select card models with %s instead"
                    .formatted(key, CardProtocols.MODELS));
  }

  private static Optional<String> problem(GpuContainer container) {
    String who = "container " + container.name();
    for (String measure : List.of(MEMORY, MEMORY_PERCENT, CORES)) {
      if (container.amount(measure) > 0 && container.amount(COUNT) == 0) {
        return Optional.of(
            "%s asks for %s without %s: say how many cards".formatted(who, measure, COUNT));
      }
    }
    for (String percentage : List.of(MEMORY_PERCENT, CORES)) {
      if (container.amount(percentage) > PERCENT) {
        return Optional.of(
            "%s asks for %d of %s: a card has 100"
                .formatted(who, container.amount(percentage), percentage));
      }
    }
    return CardProtocols.tooMany(who, container.amount(COUNT));
  }

  private static Optional<CardRequest> request(GpuContainer container) {
    int cards = (int) container.amount(COUNT);
    if (cards == 0) {
      return Optional.empty();
    }
    long memory = container.amount(MEMORY);
    int percent = memory > 0 ? 0 : (int) container.amount(MEMORY_PERCENT);
    int cores = (int) container.amount(CORES);
    boolean allMemory = memory == 0 && (percent == 0 || percent == PERCENT);
    if (cores == PERCENT || (cores == 0 && allMemory)) {
      return Optional.of(CardRequest.whole(container.name(), cards));
    }
    return Optional.of(
        new CardRequest(
            container.name(),
            cards,
            cores * Card.MILLI_CORES / PERCENT,
            memory,
            allMemory ? PERCENT : percent));
  }

  @Override
  public Optional<CardAssignment> assignment(Pod pod, Map<String, String> annotations) {
    String devices = annotations.get(ALLOCATED);
    String node = annotations.getOrDefault(NODE, "");
    if (devices == null || !node.equals(pod.getSpec().getNodeName())) {
      return Optional.empty();
    }
    List<Container> containers =
        Stream.concat(
                pod.getSpec().getInitContainers().stream(), pod.getSpec().getContainers().stream())
            .toList();
    String[] parts = devices.split(";", -1);
    int regular = pod.getSpec().getContainers().size();
    // Older versions of HAMi have no slots for init containers. Each slot ends with a semicolon.
    int first = parts.length - 1 == regular ? containers.size() - regular : 0;
    Map<String, List<String>> cards = new HashMap<>();
    for (int i = 0; first + i < containers.size() && i < parts.length; i++) {
      List<String> names =
          Stream.of(parts[i].split(":", -1))
              .filter(device -> device.contains(","))
              .map(device -> device.substring(0, device.indexOf(',')))
              .toList();
      String container = containers.get(first + i).getName();
      if (!names.isEmpty() && container != null) {
        cards.put(container, names);
      }
    }
    return cards.isEmpty() ? Optional.empty() : Optional.of(new CardAssignment(AGENT, cards));
  }

  @Override
  public boolean awaitsCards(Pod pod, Map<String, String> annotations) {
    return ALLOCATING.equals(annotations.get(BIND_PHASE));
  }

  @Override
  public Writing write(Placement placement) {
    String devices = devices(placement);
    String seconds = String.valueOf(placement.at().getEpochSecond());
    Map<String, String> annotations = new HashMap<>();
    annotations.put(NODE, placement.nodeName());
    annotations.put(TIME, seconds);
    annotations.put(TO_ALLOCATE, devices);
    annotations.put(ALLOCATED, devices);
    annotations.put(BIND_PHASE, ALLOCATING);
    annotations.put(BIND_TIME, seconds);
    return new Writing(annotations, Map.of(NODE, placement.nodeName()), true);
  }

  /**
   * Returns the devices of each container, init containers first, each terminated by a semicolon.
   */
  private static String devices(Placement placement) {
    InitRequests requests = InitRequests.of(placement.pod(), Hami::request);
    Map<String, Long> memory = new HashMap<>();
    List<Card> cards = placement.cards().cards();
    for (int i = 0; i < cards.size(); i++) {
      memory.put(placement.cards().id(i), cards.get(i).memoryMebibytes());
    }
    StringBuilder devices = new StringBuilder();
    for (GpuContainer container : placement.pod().containers()) {
      request(container)
          .ifPresent(
              request ->
                  requests
                      .cardsOf(container.name(), request.cards(), placement.assigned().cards())
                      .forEach(
                          card ->
                              devices.append(
                                  device(container, card, memory.getOrDefault(card, 0L)))));
      devices.append(';');
    }
    return devices.toString();
  }

  private static String device(GpuContainer container, String card, long totalMebibytes) {
    long percent = container.amount(MEMORY_PERCENT);
    long memory = container.amount(MEMORY);
    if (memory == 0) {
      memory = percent == 0 ? totalMebibytes : totalMebibytes * percent / PERCENT;
    }
    return "%s,%s,%d,%d:".formatted(card, VENDOR, memory, container.amount(CORES));
  }

  /** The keys of the annotations that are part of an assignment. */
  static List<String> ofAnAssignment() {
    List<String> keys = new ArrayList<>(List.of(TO_ALLOCATE, ALLOCATED, NODE, TIME));
    keys.addAll(List.of(BIND_TIME, BIND_PHASE));
    return keys;
  }
}
