package io.berth.operator.gpu;

import io.berth.engine.PodRef;
import io.berth.engine.model.CardAssignment;
import io.berth.engine.model.CardInventory;
import io.berth.engine.model.CardRequest;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The way in which one kind of agent describes its cards, pods ask for them, and the agent learns
 * who gets which. Nothing is thrown, whatever objects hold.
 */
interface CardProtocol {
  /** The name of the kind, as {@link CardInventory#agent} has it. */
  String agent();

  /** The cards of a node; empty where the node shows no sign of such an agent. */
  Optional<CardInventory> inventory(Node node);

  /**
   * The request of a pod to such agents.
   *
   * @param requests container by container
   * @param agents the kinds of agents that understand it, {@link #agent} among them
   * @param problem why the pod can never be satisfied, in words for its owner
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

  /** Returns whether the agent has still to hand the pod its cards. */
  boolean awaitsCards(Pod pod, Map<String, String> annotations);

  /**
   * The part of a pod's Binding that is for the agent.
   *
   * @param locksNode whether the node has to be locked for the pod before
   */
  record Writing(Map<String, String> annotations, Map<String, String> labels, boolean locksNode) {
    public Writing {
      annotations = Map.copyOf(annotations);
      labels = Map.copyOf(labels);
    }
  }

  /**
   * A pod whose cards are chosen.
   *
   * @param assigned its cards, in the names of the agent
   * @param cards all cards of the node
   */
  record Placement(
      PodRef ref,
      GpuPod pod,
      CardAssignment assigned,
      String nodeName,
      CardInventory cards,
      Instant at) {}

  /** Returns the pod's cards in the words of the agent. */
  Writing write(Placement placement);
}
