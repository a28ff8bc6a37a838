package io.berth.demo.feed;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The costs of a full cluster for one replica.
 *
 * @param nodes of the cluster
 * @param pods that run on them
 * @param secondsToReady from the start of the process until it has listed the cluster and is ready
 * @param secondsToLead from the start of the process until it leads
 * @param secondsToFirstBinding from the start of the process until a pod that waited is bound
 * @param liveHeapMiB heap in use after a full garbage collection, in MiB
 * @param residentMiB memory of the process, in MiB
 */
public record FeedReport(
    int nodes,
    int pods,
    double secondsToReady,
    double secondsToLead,
    double secondsToFirstBinding,
    double liveHeapMiB,
    double residentMiB) {

  /** Name of the workload in the JSON. */
  public String name() {
    return "Feed-" + nodes;
  }

  /** The figures by name. */
  public Map<String, Object> figures() {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("nodes", nodes);
    figures.put("pods", pods);
    figures.put("secondsToReady", secondsToReady);
    figures.put("secondsToLead", secondsToLead);
    figures.put("secondsToFirstBinding", secondsToFirstBinding);
    figures.put("liveHeapMiB", liveHeapMiB);
    figures.put("residentMiB", residentMiB);
    return figures;
  }

  /** Lines for a terminal. */
  public String text() {
    return String.format(
        Locale.ROOT,
        """
        nodes                     %,d
        pods on them              %,d
        process to ready          %.2f s
        process to leading        %.2f s
        process to first binding  %.2f s
        live heap                 %,.0f MiB
        resident memory           %,.0f MiB
        """,
        nodes,
        pods,
        secondsToReady,
        secondsToLead,
        secondsToFirstBinding,
        liveHeapMiB,
        residentMiB);
  }
}
