package io.berth.engine.plugins;

import io.berth.engine.selector.MatcherSet;
import io.berth.engine.selector.OwnerCounts;
import io.berth.engine.selector.PodMatcher;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.LabelKeys;
import io.berth.engine.topology.DomainSums;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * The numbers of pods, by domain, that have terms that select the incoming pod. Terms appear and
 * disappear with the pods that have them. A term whose topology key no node has does not affect any
 * node, and costs nothing.
 */
final class OwnerSums {
  private final ClusterState state;
  private final MatcherSet matchers;
  private final Predicate<OwnerCounts> wanted;
  private List<OwnerCounts> owners = List.of();
  private List<DomainSums> sums = List.of();
  private long version = -1;
  private long keysVersion = -1;

  OwnerSums(MatcherSet matchers, ClusterState state, Predicate<OwnerCounts> wanted) {
    this.state = state;
    this.matchers = matchers;
    this.wanted = wanted;
  }

  /** Applies the changes; returns whether the set of terms has changed. */
  boolean refresh() {
    LabelKeys keys = state.nodes().labelKeys();
    if (version == state.matchers().ownersVersion() && keysVersion == keys.version()) {
      return false;
    }
    version = state.matchers().ownersVersion();
    keysVersion = keys.version();
    List<OwnerCounts> now = new ArrayList<>();
    for (int i = 0; i < matchers.size(); i++) {
      PodMatcher matcher = state.matchers().byId(matchers.id(i));
      if (matcher != null) {
        state.work().spend(matcher.owners().size());
        for (OwnerCounts owner : matcher.owners()) {
          if (wanted.test(owner) && keys.contains(owner.topologyKey())) {
            now.add(owner);
          }
        }
      }
    }
    if (now.equals(owners)) {
      return false;
    }
    List<DomainSums> before = sums;
    owners = now;
    sums = now.stream().map(owner -> DomainSums.ofOwners(owner, state)).toList();
    before.forEach(DomainSums::release);
    return true;
  }

  /** Returns the terms, as of the last refresh. */
  List<OwnerCounts> owners() {
    return owners;
  }

  /** Returns the sums of pods with each of the terms, by position in {@link #owners}. */
  List<DomainSums> sums() {
    return sums;
  }

  void release() {
    sums.forEach(DomainSums::release);
  }
}
