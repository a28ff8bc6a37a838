package io.berth.engine.plugins;

import io.berth.engine.state.ChangeLog;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.Gauge;
import io.berth.engine.state.NodeTable;
import io.berth.engine.state.ResourceNames;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The level of each scope of a {@link WaterLevel}, and its mode: packing or spreading. The cost of
 * a changed node is one addition; the cost of a mode change is a pass over the scope's nodes.
 */
final class WaterLevelGauge implements Gauge {
  private static final String CLUSTER = "cluster";
  private static final String PACK = "Pack";
  private static final String SPREAD = "Spread";

  /** The nodes with one value of the label. */
  private static final class Scope {
    final String name;
    final long[] allocatable;
    final long[] requested;
    int nodes;
    boolean packs;

    Scope(String name, int resources) {
      this.name = name;
      this.allocatable = new long[resources];
      this.requested = new long[resources];
    }

    /**
     * Returns the requested share of the scarcest resource; 0 if the scope has none of the
     * resources.
     */
    double level() {
      double level = 0;
      for (int i = 0; i < allocatable.length; i++) {
        if (allocatable[i] > 0) {
          level = Math.max(level, (double) requested[i] / (double) allocatable[i]);
        }
      }
      return level;
    }
  }

  /** The amounts that a node contributes to its scope: zeros while it is cordoned. */
  private static final class Share {
    final Scope scope;
    final long[] allocatable;
    final long[] requested;

    Share(Scope scope, int resources) {
      this.scope = scope;
      this.allocatable = new long[resources];
      this.requested = new long[resources];
    }
  }

  private final WaterLevel plugin;
  private final NodeTable nodes;
  private final ResourceNames names;
  private final ChangeLog log = new ChangeLog();
  private final Map<String, Scope> scopes = new TreeMap<>();
  private final Map<String, Boolean> seeds = new HashMap<>();
  private final Set<Scope> moved = new LinkedHashSet<>();
  private @Nullable Share[] shares = {};
  private long seenCapacity;
  private long seenLabels;
  private long seenTaints;
  private long visits;

  WaterLevelGauge(WaterLevel plugin, ClusterState state) {
    this.plugin = plugin;
    this.nodes = state.nodes();
    this.names = state.resources();
  }

  /** Returns the log of nodes whose scope, or whose scope's mode, has changed. */
  ChangeLog log() {
    return log;
  }

  /** Returns whether the node's scope is currently packing. */
  boolean isPacking(int slot) {
    Share share = slot < shares.length ? shares[slot] : null;
    return share != null && share.scope.packs;
  }

  /** Returns the number of nodes visited so far; tests compare it with the number of changes. */
  long visits() {
    return visits;
  }

  @Override
  public void advance() {
    if (shares.length < nodes.slots()) {
      shares = Arrays.copyOf(shares, nodes.roomForSlots());
    }
    seenCapacity = nodes.capacityLog().visit(seenCapacity, this::reread);
    seenLabels = nodes.labelLog().visit(seenLabels, this::reread);
    seenTaints = nodes.taintLog().visit(seenTaints, this::reread);
    moved.forEach(this::turn);
    moved.clear();
  }

  private void reread(int slot) {
    if (slot >= shares.length) {
      return;
    }
    visits++;
    Share before = shares[slot];
    if (before != null) {
      add(before, -1);
    }
    if (!nodes.alive().contains(slot)) {
      shares[slot] = null;
      return;
    }
    Share now = share(slot);
    shares[slot] = now;
    add(now, 1);
    if (before == null || before.scope != now.scope) {
      log.add(slot);
    }
  }

  private Share share(int slot) {
    Scope scope = scopes.computeIfAbsent(scopeOf(slot), this::newScope);
    int size = plugin.resources().size();
    Share share = new Share(scope, size);
    for (int i = 0; i < size && !nodes.isUnschedulable(slot); i++) {
      int column = names.idOf(plugin.resources().get(i).name());
      share.allocatable[i] = nodes.allocatable(column, slot);
      share.requested[i] = share.allocatable[i] > 0 ? nodes.requested(column, slot) : 0;
    }
    return share;
  }

  private String scopeOf(int slot) {
    return plugin
        .nodeLabel()
        .map(label -> label + "=" + nodes.model(slot).labels().getOrDefault(label, ""))
        .orElse(CLUSTER);
  }

  private Scope newScope(String name) {
    Scope scope = new Scope(name, plugin.resources().size());
    scope.packs = seeds.getOrDefault(name, false);
    seeds.remove(name);
    return scope;
  }

  private void add(Share share, int sign) {
    Scope scope = share.scope;
    scope.nodes += sign;
    for (int i = 0; i < share.allocatable.length; i++) {
      scope.allocatable[i] += sign * share.allocatable[i];
      scope.requested[i] += sign * share.requested[i];
    }
    moved.add(scope);
  }

  private void turn(Scope scope) {
    if (scope.nodes == 0) {
      scopes.remove(scope.name);
      return;
    }
    double level = scope.level();
    boolean packs = level >= plugin.packAbove() || (scope.packs && level > plugin.spreadBelow());
    if (packs != scope.packs) {
      set(scope, packs);
    }
  }

  private void set(Scope scope, boolean packs) {
    scope.packs = packs;
    for (int slot = 0; slot < shares.length; slot++) {
      Share share = shares[slot];
      if (share != null && share.scope == scope) {
        log.add(slot);
      }
    }
  }

  @Override
  public List<Reading> readings() {
    List<Reading> readings = new ArrayList<>();
    for (Scope scope : scopes.values()) {
      readings.add(new Reading(scope.name, scope.packs ? PACK : SPREAD, scope.level()));
    }
    return readings;
  }

  @Override
  public void seed(String scope, String mode) {
    if (!mode.equals(PACK) && !mode.equals(SPREAD)) {
      return;
    }
    Scope known = scopes.get(scope);
    if (known == null) {
      seeds.put(scope, mode.equals(PACK));
    } else {
      set(known, mode.equals(PACK));
      moved.add(known);
    }
  }
}
