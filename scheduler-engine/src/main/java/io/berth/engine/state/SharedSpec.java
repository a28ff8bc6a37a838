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
 * The spec of one or more pods of a namespace, with what the state needs of it worked out: resource
 * columns instead of names, counters instead of affinity terms. Pods with equal specs share one.
 */
public final class SharedSpec {
  record Key(String namespace, PodSpec spec) {}

  private static final int[] NO_COLUMNS = {};
  private static final long[] NO_AMOUNTS = {};

  private final Key key;
  private int[] heldColumns = NO_COLUMNS;
  private long[] heldAmounts = NO_AMOUNTS;

  /** The version of the resource names by which the columns were looked up. */
  private long columnsVersion = -1;

  private final List<OwnerCounts> ownTerms;
  private final List<PodMatcher> ownMatchers;
  int uses;

  /** See {@link #unpinned()}; null for a spec that is not pinned to a node. */
  @Nullable SharedSpec unpinned;

  /** The same spec with other volumes, as {@link SharedSpecs#withVolumes} returned it last. */
  @Nullable SharedSpec withOtherVolumes;

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
    // What the pod's own constraints count: known before the pod's terms are worked out, so that
    // these say whether it counts itself.
    List<PodMatcher> counted = new ArrayList<>();
    for (SpreadConstraint constraint : spec.spread()) {
      counted.add(matchers.acquire(MatcherKey.ofSpread(key.namespace(), constraint.selector())));
    }
    if (!spec.affinity().requiredAffinity().isEmpty()) {
      counted.add(matchers.acquire(MatcherKey.ofAllIncoming(spec.affinity().requiredAffinity())));
    }
    return new SharedSpec(key, own, counted);
  }

  void release(Matchers matchers) {
    ownTerms.forEach(matchers::releaseOwners);
    ownMatchers.forEach(matchers::release);
  }

  /** Finds the columns of what the pod holds; what no node offers has none and is left out. */
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

  /** About how much memory it takes, with the counts of its terms. */
  public long bytes() {
    PodSpec spec = key.spec();
    return 2_000L
        + 100L * spec.requests().asked().size()
        + 1_000L * (ownTerms.size() + ownMatchers.size())
        + 150L * (spec.tolerations().size() + spec.ports().size() + spec.volumes().size())
        + 500L * (spec.spread().size() + spec.nodes().preferred().size())
        + 500L * spec.nodes().required().map(List::size).orElse(0);
  }

  Key key() {
    return key;
  }

  /**
   * The same spec without the one node that it names: the pods of a DaemonSet share it, though each
   * names a node of its own. Empty where the spec names no single node, and where it has spread
   * constraints, which count only nodes that the pod may go to.
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

  /** Columns of what the pod holds, as of the last {@link #locate}. */
  int[] heldColumns() {
    return heldColumns;
  }

  /** Returns the amounts that the pod uses, by position in {@link #heldColumns}. */
  long[] heldAmounts() {
    return heldAmounts;
  }

  /** The affinity terms of pods with this spec, one entry for each. */
  List<OwnerCounts> ownTerms() {
    return ownTerms;
  }
}
