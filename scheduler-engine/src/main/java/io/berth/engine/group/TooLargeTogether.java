package io.berth.engine.group;

import io.berth.engine.model.GroupModel;
import io.berth.engine.model.GroupTopology;
import io.berth.engine.model.ResourceAmounts;
import io.berth.engine.quantity.Saturated;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.GroupEntry;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.NodeTable;
import io.berth.engine.topology.TopologyKey;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Groups whose missing members request more of a resource together than all nodes that they may use
 * have when they are empty, or than those of any value of the topology that the group requires.
 * Only sums are compared, so a group about which nothing is said may be too large nevertheless.
 */
public final class TooLargeTogether {
  private final ClusterState state;
  private final NodeSet usable;

  private TooLargeTogether(ClusterState state, NodeSet usable) {
    this.state = state;
    this.usable = usable;
  }

  /** Returns a sentence about the resource that is too little; empty if there is none. */
  public static Optional<String> text(
      GroupEntry group, List<GroupMembers> members, ClusterState state) {
    NodeSet usable = new NodeSet(state.nodes().slots());
    members.forEach(some -> usable.addAll(TooLargeMembers.usable(some.plan(), state)));
    if (usable.isEmpty()) {
      return Optional.empty();
    }
    TooLargeTogether nodes = new TooLargeTogether(state, usable);
    Optional<TopologyKey> key =
        group
            .model()
            .flatMap(GroupModel::topology)
            .filter(GroupTopology::required)
            .map(required -> TopologyKey.acquire(required.key(), state));
    try {
      return nodes.text(least(members, GroupNeeds.of(group).left()), key);
    } finally {
      key.ifPresent(acquired -> acquired.release(state));
    }
  }

  private Optional<String> text(Map<String, Long> requested, Optional<TopologyKey> key) {
    for (Map.Entry<String, Long> least : requested.entrySet()) {
      Optional<String> lack = lack(least.getKey(), least.getValue());
      if (lack.isEmpty() && key.isPresent()) {
        lack = lackInDomains(key.get(), least.getKey(), least.getValue());
      }
      if (lack.isPresent()) {
        return Optional.of(
            "They do not fit on empty nodes either: together they request at least %s of %s, and %s"
                .formatted(
                    ResourceAmounts.text(least.getKey(), least.getValue()),
                    least.getKey(),
                    lack.get()));
      }
    }
    return Optional.empty();
  }

  /** Returns the smallest sums that this number of members can request, by resource. */
  private static Map<String, Long> least(List<GroupMembers> members, int needed) {
    List<Map<String, Long>> taken = members.stream().map(TooLargeTogether::taken).toList();
    Map<String, Long> least = new TreeMap<>();
    taken.forEach(some -> some.keySet().forEach(name -> least.put(name, 0L)));
    for (Map.Entry<String, Long> resource : least.entrySet()) {
      TreeMap<Long, Integer> pods = new TreeMap<>();
      for (int i = 0; i < members.size(); i++) {
        long amount = taken.get(i).getOrDefault(resource.getKey(), 0L);
        pods.merge(amount, members.get(i).pods().size(), Integer::sum);
      }
      int left = needed;
      for (Map.Entry<Long, Integer> some : pods.entrySet()) {
        int counted = Math.min(left, some.getValue());
        resource.setValue(
            Saturated.sum(resource.getValue(), Saturated.product(some.getKey(), counted)));
        left -= counted;
      }
    }
    return least;
  }

  private static Map<String, Long> taken(GroupMembers members) {
    Map<String, Long> taken = new HashMap<>();
    members.plan().filters().stream()
        .flatMap(filter -> filter.groupRoom().stream())
        .forEach(
            room -> room.taken().forEach((name, amount) -> taken.merge(name, amount, Math::max)));
    return taken;
  }

  /** Returns what all nodes have of a resource, if it is less than is requested. */
  private Optional<String> lack(String resource, long requested) {
    int column = state.resources().idOf(resource);
    long has = 0;
    int nodes = 0;
    for (int slot = usable.next(0); slot >= 0 && has < requested; slot = usable.next(slot + 1)) {
      has = Saturated.sum(has, amountOf(resource, column, slot));
      nodes++;
    }
    state.work().spend(nodes);
    return has >= requested
        ? Optional.empty()
        : Optional.of(
            "%s that they may use %s %s"
                .formatted(
                    nodes == 1 ? "the only node" : "the %d nodes".formatted(nodes),
                    nodes == 1 ? "has" : "have",
                    ResourceAmounts.text(resource, has)));
  }

  /** Returns what the best value of a label has of a resource, if it is less than is requested. */
  private Optional<String> lackInDomains(TopologyKey key, String resource, long requested) {
    int column = state.resources().idOf(resource);
    int best = TopologyKey.NONE;
    long most = -1;
    int nodesOfBest = 0;
    for (int domain = 0; domain < key.bound() && most < requested; domain++) {
      long has = 0;
      int nodes = 0;
      for (int slot = key.firstIn(domain); slot >= 0; slot = key.nextAfter(slot)) {
        if (usable.contains(slot)) {
          has = Saturated.sum(has, amountOf(resource, column, slot));
          nodes++;
        }
      }
      state.work().spend(nodes + 1);
      if (nodes > 0 && has > most) {
        best = domain;
        most = has;
        nodesOfBest = nodes;
      }
    }
    return best == TopologyKey.NONE || most >= requested
        ? Optional.empty()
        : Optional.of(
            "of the values of %s, %s has the most: %s, on %s that they may use"
                .formatted(
                    key.label(),
                    key.valueOf(best),
                    ResourceAmounts.text(resource, most),
                    nodesOfBest == 1 ? "the only node" : nodesOfBest + " nodes"));
  }

  private long amountOf(String resource, int column, int slot) {
    NodeTable nodes = state.nodes();
    return resource.equals(ResourceAmounts.PODS)
        ? nodes.maxPods(slot)
        : nodes.allocatable(column, slot);
  }
}
