package io.berth.engine.state;

import io.berth.engine.model.NodeUsage;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The last usage report of each node. */
public final class NodeUsages {
  private final NodeTable nodes;
  private final Map<String, NodeUsage> reports = new HashMap<>();
  private final ChangeLog log = new ChangeLog();
  private Instant asOf = Instant.MIN;

  NodeUsages(NodeTable nodes) {
    this.nodes = nodes;
  }

  /**
   * Stores a report. A report is ignored if its node is unknown, or if it is not newer than the
   * node's last one.
   */
  public void take(NodeUsage report, Instant now) {
    asOf = now;
    int slot = nodes.slotOf(report.node());
    NodeUsage known = reports.get(report.node());
    if (slot >= 0 && (known == null || report.at().isAfter(known.at()))) {
      reports.put(report.node(), report);
      log.add(slot);
    }
  }

  /** Removes the report of a deleted node. */
  void forget(String node) {
    reports.remove(node);
  }

  /** Returns the last report of a node, regardless of its age. */
  public Optional<NodeUsage> of(String node) {
    return Optional.ofNullable(reports.get(node));
  }

  /** Returns the time at which the last report arrived. */
  public Instant asOf() {
    return asOf;
  }

  /** Returns the log of nodes with a new report. */
  public ChangeLog log() {
    return log;
  }
}
