package io.berth.engine.state;

import io.berth.engine.model.PodModel;
import io.berth.engine.selector.MatcherSet;
import io.berth.engine.selector.Matchers;
import io.berth.engine.selector.NodeCounts;
import io.berth.engine.selector.OwnerCounts;
import io.berth.engine.selector.PodMatcher;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * The matchers that select each pod, and the number of placed pods of each matcher and affinity
 * term, by node.
 */
final class MatchCounts {
  private final Matchers matchers;
  private final Namespaces namespaces;
  private final PodIndex pods;
  private long recounts;

  MatchCounts(Matchers matchers, Namespaces namespaces, PodIndex pods) {
    this.matchers = matchers;
    this.namespaces = namespaces;
    this.pods = pods;
  }

  /** Returns the matchers that currently select the pod. */
  MatcherSet matchersOf(PodEntry pod) {
    if (pod.matchersVersion != matchers.version() && pod.slot == PodEntry.NOWHERE) {
      PodModel model = pod.model();
      pod.matchers =
          matchers.matchersOf(
              model.ref().namespace(),
              namespaces.labelsOf(model.ref().namespace()),
              model.labels(),
              model.terminating());
      pod.matchersVersion = matchers.version();
    }
    return pod.matchers;
  }

  /** Adds a pod to the counts of a node, or removes it. */
  void count(PodEntry pod, int slot, int delta) {
    MatcherSet matching = pod.matchers;
    for (int i = 0; i < matching.size(); i++) {
      PodMatcher matcher = matchers.byId(matching.id(i));
      NodeCounts counts = matcher == null ? null : matcher.countsOrNull();
      if (counts != null) {
        counts.add(slot, delta);
      }
    }
    for (OwnerCounts owner : pod.shared.ownTerms()) {
      owner.counts().add(slot, delta);
    }
  }

  /** Returns the number of placed pods that match, by node; kept up to date from now on. */
  NodeCounts of(PodMatcher matcher) {
    NodeCounts known = matcher.countsOrNull();
    if (known != null) {
      return known;
    }
    NodeCounts counts = matchers.startCounting(matcher);
    pods.forEachMatching(
        Matchers.onlyNamespace(matcher.key()),
        matcher.key().requirements(),
        pod -> {
          if (pod.slot != PodEntry.NOWHERE) {
            recount(pod, matcher, counts, false);
            recounts++;
          }
        });
    return counts;
  }

  /** Returns the number of pods that were examined to initialize counts, for tests. */
  long recounts() {
    return recounts;
  }

  /** Updates the contribution of one placed pod to the counts of one matcher. */
  private void recount(PodEntry pod, PodMatcher matcher, NodeCounts counts, boolean counted) {
    PodModel model = pod.model();
    String namespace = model.ref().namespace();
    boolean meant =
        matcher.matches(
            namespace, namespaces.labelsOf(namespace), model.labels(), model.terminating());
    if (meant != counted) {
      counts.add(pod.slot, meant ? 1 : -1);
    }
    if (meant != pod.matchers.contains(matcher)) {
      MatcherSet known = pod.matchers.retain(id -> matchers.byId(id) != null);
      pod.matchers = meant ? known.with(matcher) : known.without(matcher);
    }
  }

  /**
   * Recounts the pods of a namespace whose labels have changed.
   *
   * @param changed receives the slots of the recounted pods
   */
  void namespaceChanged(String name, IntConsumer changed) {
    List<PodMatcher> dependent = matchers.dependingOnNamespaceLabels();
    if (dependent.isEmpty()) {
      return;
    }
    for (PodMatcher matcher : dependent) {
      NodeCounts counts = matcher.countsOrNull();
      if (counts != null) {
        for (PodEntry pod : pods.inNamespace(name)) {
          if (pod.slot != PodEntry.NOWHERE) {
            recount(pod, matcher, counts, pod.matchers.contains(matcher));
            changed.accept(pod.slot);
          }
        }
      }
    }
    matchers.namespaceLabelsChanged();
  }
}
