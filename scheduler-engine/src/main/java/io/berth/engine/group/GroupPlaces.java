package io.berth.engine.group;

import io.berth.engine.model.GroupModel;
import io.berth.engine.model.GroupTopology;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.GroupEntry;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.PodEntry;
import io.berth.engine.topology.TopologyKey;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The places that are tried for a group. Without a topology, that is the whole cluster. With a
 * topology, it is each domain with room for all missing members; domains with the least remaining
 * room come first, so that large domains stay available for large groups. Placed members pin a
 * required domain.
 *
 * <p>If the domain is only preferred and no single one suffices, the domains with the most room
 * come first, so that few are used.
 */
public final class GroupPlaces {
  /** The maximum number of domains to try, because further ones are unlikely to fit. */
  private static final int TRIED = 16;

  /** The number of domains that are added one by one before all others are added at once. */
  private static final int RINGS = 8;

  private record Domain(int id, NodeSet nodes, int fitting, long room) {}

  private final ClusterState state;

  public GroupPlaces(ClusterState state) {
    this.state = state;
  }

  public List<GroupPlace> of(GroupEntry group, List<GroupMembers> members) {
    Optional<GroupTopology> topology = group.model().flatMap(GroupModel::topology);
    if (topology.isEmpty()) {
      return List.of(GroupPlace.anywhere());
    }
    TopologyKey key = TopologyKey.acquire(topology.get().key(), state);
    try {
      return topology.get().required()
          ? required(group, members, key)
          : preferred(group, members, key);
    } finally {
      key.release(state);
    }
  }

  /**
   * Returns the place of a pod that is tried individually: near the placed members of its group.
   */
  public GroupPlace of(PodEntry pod) {
    if (pod.model().group().isEmpty()) {
      return GroupPlace.anywhere();
    }
    Optional<GroupEntry> group = state.groups().of(pod);
    Optional<GroupTopology> topology =
        group.flatMap(GroupEntry::model).flatMap(GroupModel::topology);
    if (topology.isEmpty()) {
      return GroupPlace.anywhere();
    }
    TopologyKey key = TopologyKey.acquire(topology.get().key(), state);
    try {
      int pinned = pinnedDomain(group.get(), key);
      if (pinned == TopologyKey.NONE) {
        return GroupPlace.anywhere();
      }
      NodeSet nodes = nodesOf(pinned, key);
      return new GroupPlace(
          "domain " + pinned,
          topology.get().required()
              ? List.of(nodes)
              : List.of(nodes, NodeSet.copyOf(state.nodes().alive())));
    } finally {
      key.release(state);
    }
  }

  private NodeSet nodesOf(int domain, TopologyKey key) {
    NodeSet nodes = new NodeSet(state.nodes().slots());
    for (int slot = key.firstIn(domain); slot >= 0; slot = key.nextAfter(slot)) {
      nodes.add(slot);
    }
    return nodes;
  }

  private List<GroupPlace> required(GroupEntry group, List<GroupMembers> members, TopologyKey key) {
    int pinned = pinnedDomain(group, key);
    int needed = GroupNeeds.of(group).left();
    return domains(members, key).stream()
        .filter(domain -> pinned == TopologyKey.NONE || domain.id() == pinned)
        .filter(domain -> domain.fitting() >= needed)
        .sorted(leastLeftOver())
        .limit(TRIED)
        .map(domain -> new GroupPlace("domain " + domain.id(), List.of(domain.nodes())))
        .toList();
  }

  private List<GroupPlace> preferred(
      GroupEntry group, List<GroupMembers> members, TopologyKey key) {
    int pinned = pinnedDomain(group, key);
    int needed = GroupNeeds.of(group).left();
    List<Domain> domains = domains(members, key);
    List<GroupPlace> places = new ArrayList<>();
    domains.stream()
        .filter(domain -> domain.fitting() >= needed)
        .sorted(pinnedFirst(pinned).thenComparing(leastLeftOver()))
        .limit(RINGS)
        .map(domain -> new GroupPlace("domain " + domain.id(), List.of(domain.nodes())))
        .forEach(places::add);
    List<NodeSet> rings = new ArrayList<>();
    NodeSet ring = new NodeSet(state.nodes().slots());
    domains.stream()
        .filter(domain -> domain.fitting() > 0)
        .sorted(
            pinnedFirst(pinned)
                .thenComparing(Comparator.comparingLong(Domain::room).reversed())
                .thenComparingInt(Domain::id))
        .limit(RINGS)
        .forEach(
            domain -> {
              ring.addAll(domain.nodes());
              rings.add(NodeSet.copyOf(ring));
            });
    rings.add(NodeSet.copyOf(state.nodes().alive()));
    places.add(new GroupPlace("fewest domains", rings));
    return places;
  }

  private static Comparator<Domain> pinnedFirst(int pinned) {
    return Comparator.comparing((Domain domain) -> domain.id() != pinned);
  }

  private static Comparator<Domain> leastLeftOver() {
    return Comparator.comparingLong((Domain domain) -> domain.room() - domain.fitting())
        .thenComparingInt(Domain::id);
  }

  /** Returns the domain of the placed members; {@link TopologyKey#NONE} if there are none. */
  private static int pinnedDomain(GroupEntry group, TopologyKey key) {
    for (PodEntry pod : group.placed()) {
      if (pod.slot() != PodEntry.NOWHERE && key.domainOf(pod.slot()) != TopologyKey.NONE) {
        return key.domainOf(pod.slot());
      }
    }
    return TopologyKey.NONE;
  }

  private List<Domain> domains(List<GroupMembers> members, TopologyKey key) {
    List<Domain> domains = new ArrayList<>();
    for (int id = 0; id < key.bound(); id++) {
      if (key.firstIn(id) < 0) {
        continue;
      }
      NodeSet nodes = nodesOf(id, key);
      long room = members.stream().mapToLong(some -> some.room().on(nodes)).sum();
      domains.add(new Domain(id, nodes, GroupMembers.fitting(members, nodes), room));
    }
    return domains;
  }
}
