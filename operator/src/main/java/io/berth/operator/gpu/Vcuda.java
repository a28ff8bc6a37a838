package io.berth.operator.gpu;

import io.berth.engine.model.Card;
import io.berth.engine.model.CardAssignment;
import io.berth.engine.model.CardInventory;
import io.berth.engine.model.CardInventory.AtOnce;
import io.berth.engine.model.CardInventory.Order;
import io.berth.engine.model.CardRequest;
import io.berth.operator.gpu.GpuPod.GpuContainer;
import io.berth.operator.gpu.GpuPod.Runs;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The protocol of tkestack's gpu-manager, whose nodes offer hundredths of cards, and blocks of 256
 * MiB of card memory, as resources.
 *
 * <p>(1) For a share of a card, gpu-manager repeats the choice of the card and fails the pod if its
 * own choice differs, so Berth follows its order and binds one such pod at a time. (2) Whole cards
 * are chosen by gpu-manager itself. (3) When a container is about to start, gpu-manager writes the
 * cards that it assigned, and {@code gpu-assigned: "true"}, to the pod; these values are
 * authoritative.
 */
final class Vcuda implements CardProtocol {
  static final String AGENT = "gpu-manager";

  /** In hundredths of a card. */
  static final String CORES = "tencent.com/vcuda-core";

  /** In blocks of 256 MiB. */
  static final String MEMORY = "tencent.com/vcuda-memory";

  static final Set<String> RESOURCES = Set.of(CORES, MEMORY);

  /** Followed by the index of the container. */
  static final String CARDS_PREFIX = "tencent.com/predicate-gpu-idx-";

  static final String NODE = "tencent.com/predicate-node";

  /** In nanoseconds since the epoch. */
  static final String TIME = "tencent.com/predicate-time";

  static final String ASSIGNED = "tencent.com/gpu-assigned";
  private static final String MODEL_LABEL = "gaia.tencent.com/gpu-model";
  private static final int CORES_OF_CARD = 100;
  private static final long MEBIBYTES_OF_BLOCK = 256;

  @Override
  public String agent() {
    return AGENT;
  }

  @Override
  public Optional<CardInventory> inventory(Node node) {
    if (node.getStatus() == null) {
      return Optional.empty();
    }
    long cores = Amount.in(node.getStatus().getCapacity(), CORES);
    if (cores == 0) {
      return Optional.empty();
    }
    long count = cores / CORES_OF_CARD;
    if (cores % CORES_OF_CARD != 0 || count > CardProtocols.MOST_CARDS) {
      return Optional.of(
          CardInventory.unusable(
              AGENT,
              "status.capacity[%s] is %d: use a multiple of %d, for at most %d cards"
                  .formatted(CORES, cores, CORES_OF_CARD, CardProtocols.MOST_CARDS)));
    }
    long memory = Amount.in(node.getStatus().getCapacity(), MEMORY) / count * MEBIBYTES_OF_BLOCK;
    Map<String, String> labels = node.getMetadata().getLabels();
    String model = labels == null ? "" : labels.getOrDefault(MODEL_LABEL, "");
    List<Card> cards = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      cards.add(new Card(String.valueOf(i), model, Card.MILLI_CORES, memory, 0, "", -1, true));
    }
    return Optional.of(
        new CardInventory(AGENT, cards, Order.FULLEST_FIRST, AtOnce.BY_AMOUNT, Optional.empty()));
  }

  @Override
  public Optional<Demand> demand(GpuPod pod, Map<String, String> annotations) {
    if (!pod.asksFor(CORES) && !pod.asksFor(MEMORY)) {
      return Optional.empty();
    }
    List<CardRequest> requests = new ArrayList<>();
    for (GpuContainer container : pod.containers()) {
      Optional<String> problem = problem(container);
      if (problem.isPresent()) {
        return problem.map(Demand::impossible);
      }
      request(container).ifPresent(requests::add);
    }
    return Optional.of(new Demand(requests, Set.of(AGENT), Optional.empty()));
  }

  private static Optional<String> problem(GpuContainer container) {
    long cores = container.amount(CORES);
    long memory = container.amount(MEMORY);
    if (cores == 0 && memory == 0) {
      return Optional.empty();
    }
    String who = "container " + container.name();
    if (container.runs() != Runs.TOGETHER) {
      return Optional.of(
          "%s is an init container and asks for %s: gpu-manager gives cards only to regular containers"
              .formatted(who, cores == 0 ? MEMORY : CORES));
    }
    if (cores == 0) {
      return Optional.of(
          "%s asks for %s without %s: gpu-manager shares a card by both"
              .formatted(who, MEMORY, CORES));
    }
    if (cores < CORES_OF_CARD && memory == 0) {
      return Optional.of(
          "%s asks for a share of a card by %s without %s: gpu-manager shares a card by both"
              .formatted(who, CORES, MEMORY));
    }
    if (cores > CORES_OF_CARD && cores % CORES_OF_CARD != 0) {
      return Optional.of(
          "%s asks for %d of %s: ask for a share, 1 to 99, or for whole cards, 100 each"
              .formatted(who, cores, CORES));
    }
    return CardProtocols.tooMany(who, cores / CORES_OF_CARD);
  }

  private static Optional<CardRequest> request(GpuContainer container) {
    long cores = container.amount(CORES);
    if (cores == 0) {
      return Optional.empty();
    }
    return Optional.of(
        cores >= CORES_OF_CARD
            ? CardRequest.whole(container.name(), (int) (cores / CORES_OF_CARD))
            : CardRequest.share(
                container.name(),
                (int) cores * Card.MILLI_CORES / CORES_OF_CARD,
                container.amount(MEMORY) * MEBIBYTES_OF_BLOCK));
  }

  @Override
  public Optional<CardAssignment> assignment(Pod pod, Map<String, String> annotations) {
    Map<String, List<String>> cards = new HashMap<>();
    List<Container> containers = pod.getSpec().getContainers();
    for (int i = 0; i < containers.size(); i++) {
      String given = annotations.get(CARDS_PREFIX + i);
      if (given != null && !given.isBlank() && containers.get(i).getName() != null) {
        List<String> names = Stream.of(given.split(",", -1)).map(String::strip).sorted().toList();
        cards.put(containers.get(i).getName(), names);
      }
    }
    return cards.isEmpty() ? Optional.empty() : Optional.of(new CardAssignment(AGENT, cards));
  }

  @Override
  public boolean awaitsCards(Pod pod, Map<String, String> annotations) {
    return !"true".equals(annotations.get(ASSIGNED));
  }

  @Override
  public Writing write(Placement placement) {
    Map<String, String> annotations = new HashMap<>();
    int index = 0;
    for (GpuContainer container : placement.pod().containers()) {
      if (container.runs() == Runs.TOGETHER) {
        List<String> cards = placement.assigned().cards().get(container.name());
        if (cards != null) {
          annotations.put(CARDS_PREFIX + index, String.join(",", cards));
        }
        index++;
      }
    }
    annotations.put(NODE, placement.nodeName());
    annotations.put(TIME, String.valueOf(nanos(placement)));
    annotations.put(ASSIGNED, "false");
    return new Writing(annotations, Map.of(), false);
  }

  private static long nanos(Placement placement) {
    return ChronoUnit.NANOS.between(Instant.EPOCH, placement.at());
  }
}
