package io.berth.operator.gpu;

import io.berth.engine.model.CardRequest;
import io.berth.operator.gpu.GpuPod.GpuContainer;
import io.berth.operator.gpu.GpuPod.Runs;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * A pod's requests for cards. Init containers usually need none of their own: they end before the
 * regular containers start, and borrow the cards of a container that requests at least as much. An
 * init container that requests more than any other keeps its cards for the lifetime of the pod.
 *
 * @param requests the requests that need cards, in the order of containers
 * @param borrowed the container whose cards an init container uses, by the init container's name
 */
record InitRequests(List<CardRequest> requests, Map<String, String> borrowed) {

  static InitRequests of(GpuPod pod, Function<GpuContainer, Optional<CardRequest>> reading) {
    Map<String, CardRequest> kept = new HashMap<>();
    for (GpuContainer container : pod.containers()) {
      if (container.runs() != Runs.FIRST) {
        reading.apply(container).ifPresent(request -> kept.put(container.name(), request));
      }
    }
    Map<String, String> borrowed = new HashMap<>();
    for (GpuContainer container : pod.containers()) {
      if (container.runs() == Runs.FIRST) {
        reading.apply(container).ifPresent(request -> borrow(request, kept, borrowed));
      }
    }
    List<CardRequest> requests = new ArrayList<>();
    for (GpuContainer container : pod.containers()) {
      Optional.ofNullable(kept.get(container.name())).ifPresent(requests::add);
    }
    return new InitRequests(requests, borrowed);
  }

  private static void borrow(
      CardRequest request, Map<String, CardRequest> kept, Map<String, String> borrowed) {
    Optional<CardRequest> lender =
        kept.values().stream()
            .filter(other -> covers(other, request))
            .min((one, other) -> one.container().compareTo(other.container()));
    if (lender.isPresent()) {
      borrowed.put(request.container(), lender.get().container());
    } else {
      kept.put(request.container(), request);
    }
  }

  private static boolean covers(CardRequest lender, CardRequest request) {
    if (lender.cards() < request.cards()) {
      return false;
    }
    return lender.isWhole()
        || (lender.milliCores() >= request.milliCores()
            && (lender.memoryPercent() > 0) == (request.memoryPercent() > 0)
            && lender.memoryPercent() >= request.memoryPercent()
            && lender.memoryMebibytes() >= request.memoryMebibytes());
  }

  /**
   * Returns the cards of a container, given the assignment of the containers with their own
   * requests; empty if it has none.
   */
  List<String> cardsOf(String container, int count, Map<String, List<String>> given) {
    List<String> cards = given.getOrDefault(borrowed.getOrDefault(container, container), List.of());
    return cards.size() <= count ? cards : cards.subList(0, count);
  }
}
