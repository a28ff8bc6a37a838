package io.berth.operator.gpu;

import io.berth.engine.kube.CardReading;
import io.berth.engine.model.CardAssignment;
import io.berth.engine.model.CardInventory;
import io.berth.engine.model.CardRequest;
import io.berth.engine.model.PodCards;
import io.berth.operator.gpu.CardProtocol.Demand;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All supported protocols. A node's protocol is the one whose annotations or resources it has; if
 * there are several, the first of plain, HAMi and gpu-manager. If pods hold cards through another
 * protocol, the node's cards are unknown until these pods are gone, because no agent knows the
 * assignments of another.
 */
public final class CardProtocols implements CardReading {
  /** The annotation on a pod that lists the acceptable card models, separated by commas. */
  public static final String MODELS = "gpu.sched.cloud.ctrip.com/models";

  /** The maximum number of cards of a node. */
  static final int MOST_CARDS = 1_024;

  private static final List<CardProtocol> ALL = List.of(new PlainCards(), new Hami(), new Vcuda());

  private static final Set<String> RESOURCES =
      Stream.of(PlainCards.RESOURCES, Hami.MEASURES, Set.of(Hami.COUNT), Vcuda.RESOURCES)
          .flatMap(Set::stream)
          .collect(Collectors.toUnmodifiableSet());

  private static final Set<String> OF_AN_ASSIGNMENT =
      Stream.concat(
              Stream.of(CardAssignment.ANNOTATION, Vcuda.NODE, Vcuda.TIME, Vcuda.ASSIGNED),
              Hami.ofAnAssignment().stream())
          .collect(Collectors.toUnmodifiableSet());

  private final boolean hami;

  /** Creates a reading that supports all protocols. */
  public CardProtocols() {
    this(true);
  }

  /**
   * Creates a reading.
   *
   * @param hami whether HAMi's cards are assigned; otherwise its nodes take no pods that ask for
   *     cards, because HAMi requires a lock
   */
  public CardProtocols(boolean hami) {
    this.hami = hami;
  }

  /** Returns the part of a pod that protocols read; empty for a pod that requests no card. */
  public static Optional<GpuPod> podOf(Pod pod) {
    return GpuPod.of(pod, RESOURCES);
  }

  /** Returns whether an annotation is part of a card assignment. */
  static boolean isOfAnAssignment(String key) {
    return OF_AN_ASSIGNMENT.contains(key) || key.startsWith(Vcuda.CARDS_PREFIX);
  }

  /** Returns the problem of a request for more cards than any node can have. */
  static Optional<String> tooMany(String who, long cards) {
    return cards <= MOST_CARDS
        ? Optional.empty()
        : Optional.of(
            "%s asks for %d cards: no node has more than %d".formatted(who, cards, MOST_CARDS));
  }

  /** Returns the protocol of a node with these cards; empty if it has none. */
  static Optional<CardProtocol> of(CardInventory cards) {
    return ALL.stream().filter(protocol -> protocol.agent().equals(cards.agent())).findFirst();
  }

  @Override
  public CardInventory inventory(Node node) {
    if (node.getMetadata() == null) {
      return CardInventory.none();
    }
    if (!hami && HamiRegister.isOfHami(annotations(node.getMetadata().getAnnotations()))) {
      return CardInventory.unusable(
          Hami.AGENT,
          "HAMi manages the node's cards, which Berth assigns only with the feature hami"
              + " (hami.enabled in the chart)");
    }
    for (CardProtocol protocol : ALL) {
      Optional<CardInventory> cards = protocol.inventory(node);
      if (cards.isPresent()) {
        return cards.get();
      }
    }
    return Hami.notDescribed(node).orElse(CardInventory.none());
  }

  @Override
  public PodCards demand(Pod pod) {
    Optional<GpuPod> asking = podOf(pod);
    return asking.map(found -> demand(found, annotations(pod))).orElse(PodCards.none());
  }

  private static PodCards demand(GpuPod pod, Map<String, String> annotations) {
    List<Demand> demands = new ArrayList<>();
    Set<String> agents = new HashSet<>();
    for (CardProtocol protocol : asked(pod)) {
      Optional<Demand> demand = protocol.demand(pod, annotations);
      if (demand.isPresent()) {
        demands.add(demand.get());
        agents.add(protocol.agent());
      }
    }
    if (demands.size() > 1) {
      return PodCards.impossible(
          "the pod asks for GPU resources of several agents (%s), but a node has only one: request the resources of one agent"
              .formatted(String.join(", ", agents.stream().sorted().toList())));
    }
    if (demands.isEmpty()) {
      return PodCards.none();
    }
    Demand demand = demands.getFirst();
    Set<String> models =
        Stream.of(annotations.getOrDefault(MODELS, "").split(",", -1))
            .map(String::strip)
            .filter(model -> !model.isEmpty())
            .collect(Collectors.toSet());
    return new PodCards(demand.requests(), models, demand.agents(), demand.problem());
  }

  /**
   * Several protocols count whole cards; a pod that also uses another protocol's resources is left
   * to that protocol.
   */
  private static List<CardProtocol> asked(GpuPod pod) {
    boolean plain = PlainCards.RESOURCES.stream().anyMatch(pod::asksFor);
    boolean measured = Hami.MEASURES.stream().anyMatch(pod::asksFor);
    return ALL.stream()
        .filter(protocol -> !(plain && !measured && protocol.agent().equals(Hami.AGENT)))
        .toList();
  }

  @Override
  public Optional<CardAssignment> assignment(Pod pod, PodCards demand) {
    if (!isPlaced(pod)) {
      return Optional.empty();
    }
    Map<String, String> annotations = annotations(pod);
    // HAMi's annotations name the node, so they cannot stem from an earlier pod elsewhere.
    for (CardProtocol protocol : ALL.reversed()) {
      if (demand.suits(protocol.agent())) {
        Optional<CardAssignment> given = protocol.assignment(pod, annotations);
        if (given.isPresent()) {
          return Optional.of(ofRequests(given.get(), demand.requests()));
        }
      }
    }
    return Optional.empty();
  }

  /** Removes the cards that init containers borrow. */
  private static CardAssignment ofRequests(CardAssignment given, List<CardRequest> requests) {
    Map<String, List<String>> cards = new HashMap<>();
    for (CardRequest request : requests) {
      List<String> names = given.cards().get(request.container());
      if (names != null) {
        cards.put(request.container(), names);
      }
    }
    return new CardAssignment(given.agent(), cards);
  }

  @Override
  public boolean awaitsCards(Pod pod, PodCards demand) {
    boolean starts =
        isPlaced(pod)
            && (pod.getStatus() == null
                || pod.getStatus().getPhase() == null
                || pod.getStatus().getPhase().equals("Pending"));
    if (!starts) {
      return false;
    }
    Map<String, String> annotations = annotations(pod);
    return !demand.isEmpty()
        && ALL.stream()
            .anyMatch(
                protocol ->
                    demand.agents().contains(protocol.agent())
                        && protocol.awaitsCards(pod, annotations));
  }

  @Override
  public boolean measuresCards(String resource) {
    return Hami.MEASURES.contains(resource)
        || Hami.NOT_COMPARED.contains(resource)
        || PlainCards.RESOURCES.contains(resource);
  }

  private static boolean isPlaced(Pod pod) {
    return pod.getSpec() != null
        && pod.getSpec().getNodeName() != null
        && !pod.getSpec().getNodeName().isEmpty();
  }

  private static Map<String, String> annotations(Pod pod) {
    return annotations(pod.getMetadata() == null ? null : pod.getMetadata().getAnnotations());
  }

  private static Map<String, String> annotations(@Nullable Map<String, String> annotations) {
    if (annotations == null || !annotations.containsValue(null)) {
      return annotations == null ? Map.of() : annotations;
    }
    Map<String, String> clean = new HashMap<>(annotations);
    clean.values().removeIf(value -> value == null);
    return clean;
  }
}
