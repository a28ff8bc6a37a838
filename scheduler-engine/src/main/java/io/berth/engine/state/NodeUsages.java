package io.berth.engine.state;

import io.berth.engine.model.NodeUsage;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The last report of what each node really uses. */
public final class NodeUsages {
  private final NodeTable nodes;
  private final Map<String, NodeUsage> reports = new HashMap<>();
  private final ChangeLog log = new ChangeLog();
  private Instant asOf = Instant.MIN;

  NodeUsages(NodeTable nodes) {
    this.nodes = nodes;
  }

  /**
   * Takes in a report. One of a node that is not known, and one that is not newer than the last of
   * its node, changes nothing.
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

  /** Forgets the report of a node that is gone. */
  void forget(String node) {
    reports.remove(node);
  }

  /** Returns the last report of a node, however old it is. */
  public Optional<NodeUsage> of(String node) {
    return Optional.ofNullable(reports.get(node));
  }

  /** Returns the time at which the last report arrived. */
  public Instant asOf() {
    return asOf;
  }

  /** Nodes with a new report. */
  public ChangeLog log() {
    return log;
  }
}
