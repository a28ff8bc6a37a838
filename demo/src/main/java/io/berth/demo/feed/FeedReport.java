package io.berth.demo.feed;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The cost of a full cluster for one replica.
 *
 * @param nodes number of nodes
 * @param pods number of bound pods
 * @param secondsToReady seconds from the start of the process until it has listed the cluster and
 *     is ready
 * @param secondsToLead seconds from the start of the process until it is leader
 * @param secondsToFirstBinding seconds from the start of the process until a pending pod is bound
 * @param liveHeapMiB heap in use after a full garbage collection, in MiB
 * @param residentMiB resident memory of the process, in MiB
 */
public record FeedReport(
    int nodes,
    int pods,
    double secondsToReady,
    double secondsToLead,
    double secondsToFirstBinding,
    double liveHeapMiB,
    double residentMiB) {

  /** Returns the name of the workload in the JSON. */
  public String name() {
    return "Feed-" + nodes;
  }

  /** Returns the results by name. */
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

  /** Returns the report as lines for a terminal. */
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
