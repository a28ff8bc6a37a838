package io.berth.demo.history;

import io.berth.demo.history.ClusterChange.PodChange;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Counts of a history, which show whether enough happened for the result to be meaningful.
 *
 * @param created number of created pods by schedulerName
 * @param bound number of bound pods by schedulerName
 * @param evictions number of preemption victims by the scheduler that evicted them
 */
public record HistorySummary(
    SortedMap<String, Integer> created,
    SortedMap<String, Integer> bound,
    SortedMap<String, Integer> evictions) {

  /** Counts the pods, bindings, and evictions of a history. */
  public static HistorySummary of(History history) {
    Map<String, PodState> pods = new HashMap<>();
    Set<String> boundPods = new HashSet<>();
    Map<String, String> victims = new HashMap<>();
    for (ClusterChange change : history.changes()) {
      if (change instanceof PodChange seen) {
        PodState pod = seen.pod();
        pods.put(pod.uid(), pod);
        if (pod.node().isPresent()) {
          boundPods.add(pod.uid());
        }
        pod.evictedBy().ifPresent(scheduler -> victims.put(pod.uid(), scheduler));
      }
    }
    SortedMap<String, Integer> created = new TreeMap<>();
    SortedMap<String, Integer> bound = new TreeMap<>();
    SortedMap<String, Integer> evictions = new TreeMap<>();
    pods.values().forEach(pod -> created.merge(pod.scheduler(), 1, Integer::sum));
    boundPods.forEach(uid -> bound.merge(pods.get(uid).scheduler(), 1, Integer::sum));
    victims.values().forEach(scheduler -> evictions.merge(scheduler, 1, Integer::sum));
    return new HistorySummary(created, bound, evictions);
  }

  /** Returns the counts as one line. */
  public String text() {
    StringBuilder text = new StringBuilder();
    created.forEach(
        (scheduler, pods) ->
            text.append(text.isEmpty() ? "" : "; ")
                .append(
                    "%s: %d pods, %d bound, %d evicted by it"
                        .formatted(
                            scheduler,
                            pods,
                            bound.getOrDefault(scheduler, 0),
                            evictions.getOrDefault(scheduler, 0))));
    return text.toString();
  }
}
