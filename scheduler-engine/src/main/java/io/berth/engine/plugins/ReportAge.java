package io.berth.engine.plugins;

import io.berth.engine.model.NodeUsage;
import io.berth.engine.state.ChangeLog;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.Gauge;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.NodeTable;
import io.berth.engine.state.NodeUsages;
import io.berth.engine.state.Timer;
import io.berth.engine.time.Due;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The nodes with a sufficiently recent report for {@link MostAvailable}. A timer detects reports
 * that expire without any event in the cluster.
 */
final class ReportAge implements Gauge, Timer {
  private static final String SCOPE = "cluster";

  private final Duration maxAge;
  private final NodeTable nodes;
  private final NodeUsages usages;
  private final NodeSet measured = new NodeSet();
  private final ChangeLog log = new ChangeLog();
  private int count;
  private long seenUsages;
  private long seenNodes;

  /** A time that is not after the first expiry of a report. */
  private Due due = Due.NEVER;

  ReportAge(Duration maxAge, ClusterState state) {
    this.maxAge = maxAge;
    this.nodes = state.nodes();
    this.usages = state.usages();
  }

  /** Returns the log of nodes whose reports became usable, or expired. */
  ChangeLog log() {
    return log;
  }

  /** Returns the node's report; empty if it has no recent one. */
  Optional<NodeUsage> report(int slot) {
    return isMeasured(slot) ? usages.of(nodes.name(slot)) : Optional.empty();
  }

  private boolean isMeasured(int slot) {
    return slot < capacity() && measured.contains(slot);
  }

  @Override
  public void advance() {
    if (capacity() < nodes.slots()) {
      measured.grow(nodes.slots() * 3 / 2 + 64);
    }
    seenNodes = nodes.membershipLog().visit(seenNodes, slot -> look(slot, usages.asOf()));
    seenUsages = usages.log().visit(seenUsages, slot -> look(slot, usages.asOf()));
  }

  private void look(int slot, Instant now) {
    boolean usable = false;
    if (nodes.alive().contains(slot)) {
      Optional<Instant> expiry = usages.of(nodes.name(slot)).map(this::expiry);
      usable = expiry.isPresent() && expiry.get().isAfter(now);
      if (usable) {
        due = due.orEarlier(Due.at(expiry.get()));
      }
    }
    if (usable != isMeasured(slot)) {
      measured.put(slot, usable);
      count += usable ? 1 : -1;
      log.add(slot);
    }
  }

  private int capacity() {
    return measured.words().length * Long.SIZE;
  }

  private Instant expiry(NodeUsage report) {
    return report.at().plus(maxAge);
  }

  @Override
  public Due due() {
    return due;
  }

  @Override
  public void run(Instant now) {
    due = Due.NEVER;
    for (int slot = 0; slot < capacity(); slot++) {
      if (measured.contains(slot)) {
        look(slot, now);
      }
    }
  }

  /** Returns one reading: the share of nodes with a usable report. */
  @Override
  public List<Reading> readings() {
    int all = nodes.size();
    String mode = count == 0 ? "Unmeasured" : count == all ? "Measured" : "PartlyMeasured";
    return List.of(new Reading(SCOPE, mode, all == 0 ? 0 : (double) count / all));
  }

  /** Does nothing: reports are sent again to a new engine. */
  @Override
  public void seed(String scope, String mode) {}
}
