package io.berth.engine.selector;

import io.berth.engine.model.AffinityTerm;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The matchers in use. A matcher exists as long as a pod's spec or a cached answer uses it.
 *
 * <p>A matcher of one namespace is indexed by that namespace, so that equal labels in thousands of
 * namespaces are not compared with each other.
 */
public final class Matchers {
  private final Map<MatcherKey, PodMatcher> byKey = new HashMap<>();
  private final MatcherIds byId = new MatcherIds();
  private final Map<OwnerCounts.Key, OwnerCounts> owners = new HashMap<>();
  private final Map<String, LabelIndex<PodMatcher>> byNamespace = new HashMap<>();
  private final LabelIndex<PodMatcher> acrossNamespaces = new LabelIndex<>();
  private int[] scratch = new int[16];
  private int found;
  private int nextId;
  private long version;
  private long ownersVersion;

  /**
   * Returns a version that changes whenever a {@link MatcherSet} that was computed before may be
   * outdated.
   */
  public long version() {
    return version;
  }

  /** Returns a version that changes whenever {@link PodMatcher#owners} of any matcher changes. */
  public long ownersVersion() {
    return ownersVersion;
  }

  /** Returns the number of matchers in use. */
  public int size() {
    return byKey.size();
  }

  /** Returns the matcher with this id; null if it is not in use any more. */
  public @Nullable PodMatcher byId(int id) {
    return byId.get(id);
  }

  /** Returns the matcher for this key; null if it is not in use. */
  public @Nullable PodMatcher find(MatcherKey key) {
    return byKey.get(key);
  }

  /** Returns the matcher for this key; every call requires one {@link #release}. */
  public PodMatcher acquire(MatcherKey key) {
    PodMatcher matcher = byKey.get(key);
    if (matcher == null) {
      matcher = new PodMatcher(nextId++, key);
      byKey.put(key, matcher);
      byId.add(matcher);
      String namespace = onlyNamespace(key);
      if (namespace == null) {
        acrossNamespaces.add(matcher, key.requirements());
      } else {
        byNamespace
            .computeIfAbsent(namespace, absent -> new LabelIndex<>())
            .add(matcher, key.requirements());
      }
      version++;
    }
    matcher.uses++;
    return matcher;
  }

  public void release(PodMatcher matcher) {
    if (--matcher.uses > 0) {
      return;
    }
    byKey.remove(matcher.key());
    byId.remove(matcher);
    String namespace = onlyNamespace(matcher.key());
    if (namespace == null) {
      acrossNamespaces.remove(matcher);
    } else {
      LabelIndex<PodMatcher> index = byNamespace.get(namespace);
      if (index != null) {
        index.remove(matcher);
        if (index.isEmpty()) {
          byNamespace.remove(namespace);
        }
      }
    }
    version++;
  }

  /**
   * Returns the counts of pods with such a term; every call requires one {@link #releaseOwners}.
   */
  public OwnerCounts acquireOwners(AffinityTerm term, OwnerCounts.Kind kind, int weight) {
    PodMatcher matcher = acquire(MatcherKey.of(term));
    OwnerCounts.Key key = new OwnerCounts.Key(matcher, term.topologyKey(), kind, weight);
    OwnerCounts counts = owners.get(key);
    if (counts == null) {
      counts = new OwnerCounts(key);
      owners.put(key, counts);
      matcher.owners().add(counts);
      ownersVersion++;
    }
    counts.uses++;
    return counts;
  }

  public void releaseOwners(OwnerCounts counts) {
    if (--counts.uses == 0) {
      owners.remove(counts.key());
      counts.matcher().owners().remove(counts);
      ownersVersion++;
    }
    release(counts.matcher());
  }

  /** Returns the matchers that select a pod. */
  public MatcherSet matchersOf(
      String namespace,
      Map<String, String> namespaceLabels,
      Map<String, String> labels,
      boolean terminating) {
    found = 0;
    LabelIndex<PodMatcher> own = byNamespace.get(namespace);
    if (own != null) {
      own.candidates(
          labels, matcher -> collect(matcher, namespace, namespaceLabels, labels, terminating));
    }
    acrossNamespaces.candidates(
        labels, matcher -> collect(matcher, namespace, namespaceLabels, labels, terminating));
    return MatcherSet.of(scratch, found);
  }

  private void collect(
      PodMatcher matcher,
      String namespace,
      Map<String, String> namespaceLabels,
      Map<String, String> labels,
      boolean terminating) {
    if (matcher.matches(namespace, namespaceLabels, labels, terminating)) {
      if (found == scratch.length) {
        scratch = Arrays.copyOf(scratch, found * 2);
      }
      scratch[found++] = matcher.id();
    }
  }

  /** Returns the matchers whose result depends on the labels of namespaces. */
  public List<PodMatcher> dependingOnNamespaceLabels() {
    List<PodMatcher> dependent = new ArrayList<>();
    for (PodMatcher matcher : byKey.values()) {
      if (matcher.key().dependsOnNamespaceLabels()) {
        dependent.add(matcher);
      }
    }
    return dependent;
  }

  /** Invalidates every {@link MatcherSet} that was computed before. */
  public void namespaceLabelsChanged() {
    version++;
  }

  /** Starts to count the matcher's pods; the caller counts those that are already placed. */
  public NodeCounts startCounting(PodMatcher matcher) {
    return matcher.startCounting();
  }

  /** Returns the only namespace whose pods the key can match; null if there may be several. */
  public static @Nullable String onlyNamespace(MatcherKey key) {
    for (MatcherKey.Clause clause : key.clauses()) {
      Set<String> namespaces = clause.namespaces();
      if (namespaces.size() == 1 && clause.namespaceSelector().matchesNothing()) {
        return namespaces.iterator().next();
      }
    }
    return null;
  }
}
