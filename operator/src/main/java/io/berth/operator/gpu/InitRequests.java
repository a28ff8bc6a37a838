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
 * The requests of a pod, of which init containers need none of their own: they end before the
 * others begin, and use the cards of a container that asks for as much. One that asks for more than
 * any keeps its cards as long as the pod lives.
 *
 * @param requests those that need cards, in the order of containers
 * @param borrowed by init container, the container whose cards it uses
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

  /** The cards of a container, by what those with own requests were given; empty for none. */
  List<String> cardsOf(String container, int count, Map<String, List<String>> given) {
    List<String> cards = given.getOrDefault(borrowed.getOrDefault(container, container), List.of());
    return cards.size() <= count ? cards : cards.subList(0, count);
  }
}
