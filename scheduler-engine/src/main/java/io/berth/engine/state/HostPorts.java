package io.berth.engine.state;

import io.berth.engine.journal.Journal;
import io.berth.engine.model.HostPort;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Host ports that pods hold, by node. */
public final class HostPorts implements Allocator {
  private final Journal journal;

  /** By slot, the number of pods that hold each port; nodes without host ports are absent. */
  private final Map<Integer, Map<HostPort, Integer>> bySlot = new HashMap<>();

  HostPorts(Journal journal) {
    this.journal = journal;
  }

  private record Ports(HostPorts table, int slot, List<HostPort> ports) implements Holding {
    @Override
    public void take() {
      for (HostPort port : ports) {
        table.set(slot, port, table.pods(slot, port) + 1);
      }
    }

    @Override
    public void giveBack() {
      for (HostPort port : ports) {
        table.set(slot, port, Math.max(0, table.pods(slot, port) - 1));
      }
    }
  }

  @Override
  public Scope scope() {
    return Scope.NODE;
  }

  @Override
  public Optional<Holding> choose(PodEntry pod, int slot) {
    List<HostPort> ports = pod.spec().ports();
    return ports.isEmpty() ? Optional.empty() : Optional.of(new Ports(this, slot, ports));
  }

  /** Returns whether a requested port is not available on the node. */
  public boolean conflict(int slot, List<HostPort> wanted) {
    Map<HostPort, Integer> taken = bySlot.get(slot);
    if (taken == null) {
      return false;
    }
    for (HostPort port : taken.keySet()) {
      for (HostPort want : wanted) {
        if (want.conflictsWith(port)) {
          return true;
        }
      }
    }
    return false;
  }

  /**
   * In a dry run, counts the ports as free even if another pod on the node holds them.
   * kube-scheduler forgets a port with the first pod that leaves it, although only one pod of a
   * node can hold it: see docs/decisions/kube-scheduler-compatibility.md.
   */
  @Override
  public void evictedInDryRun(PodEntry pod, int slot) {
    if (!journal.isOpen()) {
      throw new IllegalStateException("ports are forgotten in what-ifs alone");
    }
    pod.spec().ports().forEach(port -> set(slot, port, 0));
  }

  private int pods(int slot, HostPort port) {
    Map<HostPort, Integer> taken = bySlot.get(slot);
    return taken == null ? 0 : taken.getOrDefault(port, 0);
  }

  private void set(int slot, HostPort port, int pods) {
    int before = pods(slot, port);
    if (before == pods) {
      return;
    }
    write(slot, port, pods);
    journal.record(() -> write(slot, port, before));
  }

  private void write(int slot, HostPort port, int pods) {
    Map<HostPort, Integer> taken = bySlot.computeIfAbsent(slot, absent -> new HashMap<>());
    if (pods > 0) {
      taken.put(port, pods);
    } else if (taken.remove(port) != null && taken.isEmpty()) {
      bySlot.remove(slot);
    }
  }

  /** Returns the number of nodes on which pods hold ports. */
  public int nodes() {
    return bySlot.size();
  }
}
