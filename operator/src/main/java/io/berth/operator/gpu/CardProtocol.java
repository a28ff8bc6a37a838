package io.berth.operator.gpu;

import io.berth.engine.model.CardAssignment;
import io.berth.engine.model.CardInventory;
import io.berth.engine.model.CardRequest;
import io.berth.engine.model.PodRef;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The interface to one kind of GPU agent: how the agent describes its cards, how pods request them,
 * and how it receives assignments. No method throws, whatever the objects contain.
 */
interface CardProtocol {
  /** The name of this kind of agent, as in {@link CardInventory#agent}. */
  String agent();

  /** Returns the cards of a node; empty if the node shows no sign of such an agent. */
  Optional<CardInventory> inventory(Node node);

  /**
   * A pod's request for cards.
   *
   * @param requests one entry per container
   * @param agents the kinds of agents that support the request, including {@link #agent}
   * @param problem the reason why the request can never be satisfied, worded for the pod's owner
   */
  record Demand(List<CardRequest> requests, Set<String> agents, Optional<String> problem) {
    public Demand {
      requests = List.copyOf(requests);
      agents = Set.copyOf(agents);
    }

    static Demand impossible(String problem) {
      return new Demand(List.of(), Set.of(), Optional.of(problem));
    }
  }

  /** Returns the request of a pod; empty if it does not use the resources of this protocol. */
  Optional<Demand> demand(GpuPod pod, Map<String, String> annotations);

  /** Returns the cards that were assigned to a pod on a node, according to its annotations. */
  Optional<CardAssignment> assignment(Pod pod, Map<String, String> annotations);

  /** Returns whether the agent has yet to give the pod its cards. */
  boolean awaitsCards(Pod pod, Map<String, String> annotations);

  /**
   * The annotations and labels of a Binding that the agent reads.
   *
   * @param locksNode whether the node must be locked for the pod first
   */
  record Writing(Map<String, String> annotations, Map<String, String> labels, boolean locksNode) {
    public Writing {
      annotations = Map.copyOf(annotations);
      labels = Map.copyOf(labels);
    }
  }

  /**
   * A pod with its assigned cards.
   *
   * @param assigned its cards, by the agent's names
   * @param cards all cards of the node
   */
  record Placement(
      PodRef ref,
      GpuPod pod,
      CardAssignment assigned,
      String nodeName,
      CardInventory cards,
      Instant at) {}

  /** Returns the assignment in the agent's format. */
  Writing write(Placement placement);
}
