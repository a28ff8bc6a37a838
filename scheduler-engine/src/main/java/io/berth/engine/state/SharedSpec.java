package io.berth.engine.state;

import io.berth.engine.model.AffinityTerm;
import io.berth.engine.model.PodSpec;
import io.berth.engine.model.ResourceAmounts;
import io.berth.engine.model.SpreadConstraint;
import io.berth.engine.model.WeightedAffinityTerm;
import io.berth.engine.terms.MatcherKey;
import io.berth.engine.terms.Matchers;
import io.berth.engine.terms.OwnerCounts;
import io.berth.engine.terms.PodMatcher;
import java.util.ArrayList;
import java.util.List;

/**
 * The spec of one or more pods of a namespace, with what the state needs of it worked out: resource
 * columns instead of names, counters instead of affinity terms. Pods with equal specs share one.
 */
public final class SharedSpec {
  record Key(String namespace, PodSpec spec) {}

  private final Key key;
  private final int[] askedColumns;
  private final long[] askedAmounts;
  private final int[] heldColumns;
  private final long[] heldAmounts;
  private final List<OwnerCounts> ownTerms;
  private final List<PodMatcher> ownMatchers;
  int uses;

  private SharedSpec(
      Key key,
      int[] askedColumns,
      long[] askedAmounts,
      int[] heldColumns,
      long[] heldAmounts,
      List<OwnerCounts> ownTerms,
      List<PodMatcher> ownMatchers) {
    this.key = key;
    this.askedColumns = askedColumns;
    this.askedAmounts = askedAmounts;
    this.heldColumns = heldColumns;
    this.heldAmounts = heldAmounts;
    this.ownTerms = List.copyOf(ownTerms);
    this.ownMatchers = List.copyOf(ownMatchers);
  }

  static SharedSpec compile(Key key, ResourceNames resources, Matchers matchers) {
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
    ResourceAmounts asked = spec.requests().asked();
    ResourceAmounts held = spec.requests().held();
    return new SharedSpec(
        key,
        columns(asked, resources),
        amounts(asked),
        columns(held, resources),
        amounts(held),
        own,
        counted);
  }

  void release(ResourceNames resources, Matchers matchers) {
    for (int column : askedColumns) {
      resources.release(column);
    }
    for (int column : heldColumns) {
      resources.release(column);
    }
    ownTerms.forEach(matchers::releaseOwners);
    ownMatchers.forEach(matchers::release);
  }

  private static int[] columns(ResourceAmounts amounts, ResourceNames resources) {
    int[] columns = new int[amounts.size()];
    for (int i = 0; i < columns.length; i++) {
      columns[i] = resources.acquire(amounts.name(i));
    }
    return columns;
  }

  private static long[] amounts(ResourceAmounts amounts) {
    long[] values = new long[amounts.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = amounts.amount(i);
    }
    return values;
  }

  Key key() {
    return key;
  }

  public String namespace() {
    return key.namespace();
  }

  public PodSpec spec() {
    return key.spec();
  }

  /** Columns of the resources that are named in what the pod asks for. */
  public int[] askedColumns() {
    return askedColumns;
  }

  /** What is asked for, by position in {@link #askedColumns}. */
  public long[] askedAmounts() {
    return askedAmounts;
  }

  int[] heldColumns() {
    return heldColumns;
  }

  long[] heldAmounts() {
    return heldAmounts;
  }

  /** The affinity terms of pods with this spec, one entry for each. */
  List<OwnerCounts> ownTerms() {
    return ownTerms;
  }
}
