package io.berth.engine.model;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The request of a pod for a node's GPU cards.
 *
 * @param requests the requests of its containers, in their order; containers without cards are
 *     omitted
 * @param models the acceptable card models; empty if any is
 * @param agents the kinds of agents that support the request, as in {@link CardInventory#agent};
 *     empty if any does
 * @param problem the reason why no node can ever satisfy the pod, for its owner
 * @param sums the pod's requests of resources that measure cards, which count on nodes that report
 *     them, as in {@link CardInventory#sums}
 */
public record PodCards(
    List<CardRequest> requests,
    Set<String> models,
    Set<String> agents,
    Optional<String> problem,
    ResourceAmounts sums) {
  /** The resource name of shares of cards, in thousandths of a card. */
  public static final String MILLI_GPU = "gpu.sched.cloud.ctrip.com/milli-gpu";

  /** The resource name of GPUs that a device plugin only counts. */
  public static final String COUNTED_GPU = "nvidia.com/gpu";

  private static final PodCards NONE =
      new PodCards(List.of(), Set.of(), Set.of(), Optional.empty());

  public PodCards {
    requests = List.copyOf(requests);
    models = Set.copyOf(models);
    agents = Set.copyOf(agents);
  }

  /** Creates a request whose sums no node compares. */
  public PodCards(
      List<CardRequest> requests,
      Set<String> models,
      Set<String> agents,
      Optional<String> problem) {
    this(requests, models, agents, problem, ResourceAmounts.none());
  }

  /** Returns the request of a pod without cards. */
  public static PodCards none() {
    return NONE;
  }

  /** Returns a request for cards of any model. */
  public static PodCards of(CardRequest... requests) {
    return new PodCards(List.of(requests), Set.of(), Set.of(), Optional.empty());
  }

  /** Returns a request that cannot be satisfied. */
  public static PodCards impossible(String problem) {
    return new PodCards(List.of(), Set.of(), Set.of(), Optional.of(problem));
  }

  /** Returns the same request for cards of only these models. */
  public PodCards of(Set<String> onlyModels) {
    return new PodCards(requests, onlyModels, agents, problem, sums);
  }

  /** Returns the same request with these sums. */
  public PodCards requesting(ResourceAmounts allSums) {
    return new PodCards(requests, models, agents, problem, allSums);
  }

  /** Returns whether the pod requests no cards. */
  public boolean isEmpty() {
    return requests.isEmpty() && problem.isEmpty();
  }

  /** Returns whether agents of this kind support the request. */
  public boolean suits(String agent) {
    return agents.isEmpty() || agents.contains(agent);
  }

  /** Returns the requested compute capacity of all cards, in thousandths of a card. */
  public long milliGpu() {
    long sum = 0;
    for (CardRequest request : requests) {
      sum += (long) request.cards() * Math.min(request.milliCores(), Card.MILLI_CORES);
    }
    return sum;
  }

  /** Returns the number of requested whole cards. */
  public int wholeCards() {
    int cards = 0;
    for (CardRequest request : requests) {
      cards += request.isWhole() ? request.cards() : 0;
    }
    return cards;
  }

  /**
   * Returns whether an agent that identifies pods by their requested amounts may confuse the two,
   * or assign to one the share intended for the other.
   */
  public boolean isMistakenFor(PodCards other) {
    if (asksForShares() || other.asksForShares()) {
      return true;
    }
    for (CardRequest request : requests) {
      for (CardRequest of : other.requests) {
        if (request.cards() == of.cards()) {
          return true;
        }
      }
    }
    return false;
  }

  /** Returns whether a share of a card is requested. */
  public boolean asksForShares() {
    for (CardRequest request : requests) {
      if (!request.isWhole()) {
        return true;
      }
    }
    return false;
  }
}
