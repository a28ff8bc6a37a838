package io.berth.engine.state;

import io.berth.engine.model.AffinityTerm;
import io.berth.engine.model.PodSpec;
import io.berth.engine.model.ResourceAmounts;
import io.berth.engine.model.SpreadConstraint;
import io.berth.engine.model.WeightedAffinityTerm;
import io.berth.engine.selector.MatcherKey;
import io.berth.engine.selector.Matchers;
import io.berth.engine.selector.OwnerCounts;
import io.berth.engine.selector.PodMatcher;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The spec of one or more pods of a namespace, in resolved form: resource columns instead of names,
 * counters instead of affinity terms. Pods with equal specs share one.
 */
public final class SharedSpec {
  record Key(String namespace, PodSpec spec) {
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Key key && namespace.equals(key.namespace) && spec.equals(key.spec);
    }

    @Override
    public int hashCode() {
      return 31 * namespace.hashCode() + spec.hashCode();
    }
  }

  private static final int[] NO_COLUMNS = {};
  private static final long[] NO_AMOUNTS = {};

  private final Key key;
  private int[] heldColumns = NO_COLUMNS;
  private long[] heldAmounts = NO_AMOUNTS;

  /** The version of the resource names that the columns are based on. */
  private long columnsVersion = -1;

  private final List<OwnerCounts> ownTerms;
  private final List<PodMatcher> ownMatchers;
  int uses;

  /** The {@link #unpinned()} spec; null if the spec is not pinned to a node. */
  @Nullable SharedSpec unpinned;

  /** The last result of {@link SharedSpecs#described}: the same spec, with descriptions. */
  @Nullable SharedSpec described;

  private SharedSpec(Key key, List<OwnerCounts> ownTerms, List<PodMatcher> ownMatchers) {
    this.key = key;
    this.ownTerms = List.copyOf(ownTerms);
    this.ownMatchers = List.copyOf(ownMatchers);
  }

  static SharedSpec compile(Key key, Matchers matchers) {
    PodSpec spec = key.spec();
    List<OwnerCounts> own = new ArrayList<>();
    for (AffinityTerm term : spec.affinity().requiredAffinity()) {
      own.add(matchers.acquireOwners(term, OwnerCounts.Kind.REQUIRED_AFFINITY, 0));
    }
    for (AffinityTerm term : spec.affinity().requiredAnti()) {
      own.add(matchers.acquireOwners(term, OwnerCounts.Kind.REQUIRED_ANTI_AFFINITY, 0));
    }
    for (WeightedAffinityTerm preferred : spec.affinity().preferredAffinity()) {
      own.add(
          matchers.acquireOwners(preferred.term(), OwnerCounts.Kind.PREFERRED, preferred.weight()));
    }
    for (WeightedAffinityTerm preferred : spec.affinity().preferredAnti()) {
      own.add(
          matchers.acquireOwners(
              preferred.term(), OwnerCounts.Kind.PREFERRED, -preferred.weight()));
    }
    // Resolve the matchers of the pod's own constraints before its terms, because the terms check
    // whether they match the pod itself.
    List<PodMatcher> counted = new ArrayList<>();
    for (SpreadConstraint constraint : spec.spread()) {
      counted.add(matchers.acquire(MatcherKey.ofSpread(key.namespace(), constraint.selector())));
    }
    if (!spec.affinity().requiredAffinity().isEmpty()) {
      counted.add(matchers.acquire(MatcherKey.ofAll(spec.affinity().requiredAffinity())));
    }
    return new SharedSpec(key, own, counted);
  }

  void release(Matchers matchers) {
    ownTerms.forEach(matchers::releaseOwners);
    ownMatchers.forEach(matchers::release);
  }

  /**
   * Resolves the columns of the pod's requests. Resources that no node offers have no column, and
   * are left out.
   */
  void locate(ResourceNames resources) {
    if (columnsVersion == resources.version()) {
      return;
    }
    columnsVersion = resources.version();
    ResourceAmounts held = key.spec().requests().held();
    int[] columns = new int[Math.min(held.size(), resources.size())];
    long[] amounts = new long[columns.length];
    int found = 0;
    for (int i = 0; i < held.size(); i++) {
      int column = resources.idOf(held.name(i));
      if (column >= 0) {
        columns[found] = column;
        amounts[found++] = held.amount(i);
      }
    }
    heldColumns = Arrays.copyOf(columns, found);
    heldAmounts = Arrays.copyOf(amounts, found);
  }

  /** Returns the approximate memory of the spec and of the counts of its terms, in bytes. */
  public long bytes() {
    PodSpec spec = key.spec();
    return 2_000L
        + 100L * spec.requests().asked().size()
        + 1_000L * (ownTerms.size() + ownMatchers.size())
        + 150L * (spec.tolerations().size() + spec.ports().size() + spec.volumes().size())
        + 300L * (spec.devices().claims().size() + spec.devices().containers().size())
        + 500L * (spec.spread().size() + spec.nodes().preferred().size())
        + 500L * spec.nodes().required().map(List::size).orElse(0);
  }

  Key key() {
    return key;
  }

  /**
   * Returns the same spec without the one node that it names: the pods of a DaemonSet share it,
   * although each names its own node. Empty if the spec does not name a single node, or if it has
   * spread constraints, which count only nodes that are eligible for the pod.
   */
  public Optional<SharedSpec> unpinned() {
    return Optional.ofNullable(unpinned);
  }

  public String namespace() {
    return key.namespace();
  }

  public PodSpec spec() {
    return key.spec();
  }

  /** Returns the columns of the pod's requests, as of the last {@link #locate}. */
  int[] heldColumns() {
    return heldColumns;
  }

  /** Returns the requested amounts, by position in {@link #heldColumns}. */
  long[] heldAmounts() {
    return heldAmounts;
  }

  /**
   * Returns the requested amount in a column, as of the last {@link #locate}; 0 if there is none.
   */
  public long held(int column) {
    for (int i = 0; i < heldColumns.length; i++) {
      if (heldColumns[i] == column) {
        return heldAmounts[i];
      }
    }
    return 0;
  }

  /** Returns the affinity terms of pods with this spec, one entry for each. */
  public List<OwnerCounts> ownTerms() {
    return ownTerms;
  }
}
