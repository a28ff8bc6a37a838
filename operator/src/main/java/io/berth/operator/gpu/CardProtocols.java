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

/**
 * All protocols of agents. A node's is the one whose signs it shows; of several the first in the
 * order plain, HAMi, gpu-manager. Pods that hold cards of the others make the node's cards unknown
 * until they are gone, as no agent knows what another gave away.
 */
public final class CardProtocols implements CardReading {
  /** On a pod: the card models that will do, between commas. */
  public static final String MODELS = "gpu.sched.cloud.ctrip.com/models";

  /** No node has more cards. */
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

  /** Returns the part of a pod that protocols read; empty for a pod that requests no card. */
  public static Optional<GpuPod> podOf(Pod pod) {
    return GpuPod.of(pod, RESOURCES);
  }

  /** Returns whether an annotation says which cards a pod was given. */
  static boolean isOfAnAssignment(String key) {
    return OF_AN_ASSIGNMENT.contains(key) || key.startsWith(Vcuda.CARDS_PREFIX);
  }

  /** The problem of asking for more cards than any node has. */
  static Optional<String> tooMany(String who, long cards) {
    return cards <= MOST_CARDS
        ? Optional.empty()
        : Optional.of(
            "%s asks for %d cards: no node has more than %d".formatted(who, cards, MOST_CARDS));
  }

  /** The protocol that nodes with these cards speak; empty where none is spoken. */
  static Optional<CardProtocol> of(CardInventory cards) {
    return ALL.stream().filter(protocol -> protocol.agent().equals(cards.agent())).findFirst();
  }

  @Override
  public CardInventory inventory(Node node) {
    if (node.getMetadata() == null) {
      return CardInventory.none();
    }
    for (CardProtocol protocol : ALL) {
      Optional<CardInventory> cards = protocol.inventory(node);
      if (cards.isPresent()) {
        return cards.get();
      }
    }
    return CardInventory.none();
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
          "the pod asks for GPU resources of several agents (%s), and a node has one: ask for those of one"
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

  /** Cards by number are the words of several protocols: where there are others, those decide. */
  private static List<CardProtocol> asked(GpuPod pod) {
    boolean plain = PlainCards.RESOURCES.stream().anyMatch(pod::asksFor);
    boolean measured = Hami.MEASURES.stream().anyMatch(pod::asksFor);
    return ALL.stream()
        .filter(protocol -> !(plain && !measured && protocol.agent().equals(Hami.AGENT)))
        .toList();
  }

  @Override
  public Optional<CardAssignment> assignment(Pod pod) {
    if (!isPlaced(pod)) {
      return Optional.empty();
    }
    Map<String, String> annotations = annotations(pod);
    PodCards demand = demand(pod);
    // HAMi's annotations name the node, so that they cannot be of an earlier pod elsewhere.
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

  /** Without the cards that init containers borrow. */
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
  public boolean awaitsCards(Pod pod) {
    boolean starts =
        isPlaced(pod)
            && (pod.getStatus() == null
                || pod.getStatus().getPhase() == null
                || pod.getStatus().getPhase().equals("Pending"));
    if (!starts) {
      return false;
    }
    PodCards demand = demand(pod);
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
    return Hami.MEASURES.contains(resource) || PlainCards.RESOURCES.contains(resource);
  }

  private static boolean isPlaced(Pod pod) {
    return pod.getSpec() != null
        && pod.getSpec().getNodeName() != null
        && !pod.getSpec().getNodeName().isEmpty();
  }

  private static Map<String, String> annotations(Pod pod) {
    Map<String, String> annotations =
        pod.getMetadata() == null ? null : pod.getMetadata().getAnnotations();
    if (annotations == null || !annotations.containsValue(null)) {
      return annotations == null ? Map.of() : annotations;
    }
    Map<String, String> clean = new HashMap<>(annotations);
    clean.values().removeIf(value -> value == null);
    return clean;
  }
}
