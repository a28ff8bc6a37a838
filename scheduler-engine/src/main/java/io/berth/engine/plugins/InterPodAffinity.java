package io.berth.engine.plugins;

import io.berth.engine.framework.Arguments;
import io.berth.engine.framework.Change;
import io.berth.engine.framework.Cure;
import io.berth.engine.framework.FilterPlugin;
import io.berth.engine.framework.NodeFilter;
import io.berth.engine.framework.NodeScorer;
import io.berth.engine.framework.PodShape;
import io.berth.engine.framework.ScorePlugin;
import io.berth.engine.model.AffinityTerm;
import io.berth.engine.model.PodAffinity;
import io.berth.engine.model.PodModel;
import io.berth.engine.selector.MatcherKey;
import io.berth.engine.state.ClusterState;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Applies inter-pod affinity and anti-affinity: those of the incoming pod, and those of placed pods
 * towards it.
 *
 * @param hardPodAffinityWeight the weight of a placed pod's required affinity to the incoming pod
 *     in the score, 0 to 100
 * @param ignorePreferredTermsOfExistingPods whether preferred terms of placed pods count only for
 *     pods that have preferred terms themselves
 */
public record InterPodAffinity(
    int hardPodAffinityWeight, boolean ignorePreferredTermsOfExistingPods)
    implements FilterPlugin, ScorePlugin {

  /** Creates the plugin with kube-scheduler's defaults: weight 1, all preferences count. */
  public InterPodAffinity() {
    this(1, false);
  }

  /** Parses the arguments of the filter, which has none. */
  public static InterPodAffinity readFilter(Arguments arguments) {
    arguments.isForScores("hardPodAffinityWeight");
    arguments.isForScores("ignorePreferredTermsOfExistingPods");
    return new InterPodAffinity();
  }

  /** Parses the arguments of the score. */
  public static InterPodAffinity readScore(Arguments arguments) {
    return new InterPodAffinity(
        (int) arguments.integer("hardPodAffinityWeight", 0, 100, 1),
        arguments.bool("ignorePreferredTermsOfExistingPods", false));
  }

  @Override
  public String name() {
    return "InterPodAffinity";
  }

  @Override
  public Optional<NodeFilter> filterFor(PodShape shape, ClusterState state) {
    PodAffinity affinity = shape.spec().affinity();
    if (affinity.requiredAffinity().isEmpty()
        && affinity.requiredAnti().isEmpty()
        && shape.matchers().size() == 0) {
      return Optional.empty();
    }
    InterPodFilter.Question question =
        new InterPodFilter.Question(
            affinity.requiredAffinity(), affinity.requiredAnti(), shape.matchers());
    return Optional.of(
        state.answers().acquire(question, () -> new InterPodFilter(question, state)));
  }

  @Override
  public Optional<NodeScorer> scorerFor(PodShape shape, ClusterState state) {
    PodAffinity affinity = shape.spec().affinity();
    boolean prefers =
        !affinity.preferredAffinity().isEmpty() || !affinity.preferredAnti().isEmpty();
    if (!prefers && (ignorePreferredTermsOfExistingPods || shape.matchers().size() == 0)) {
      return Optional.empty();
    }
    InterPodScorer.Question question =
        new InterPodScorer.Question(
            affinity.preferredAffinity(),
            affinity.preferredAnti(),
            shape.matchers(),
            hardPodAffinityWeight);
    return Optional.of(
        state.answers().acquire(question, () -> new InterPodScorer(question, state)));
  }

  @Override
  public Cure cureBy(Change change) {
    return switch (change) {
      case Change.NodeChanged node ->
          Cure.when(node.before() == null || !node.before().labels().equals(node.after().labels()));
      case Change.PodPlaced pod ->
          Cure.of(
              (shape, state) ->
                  meansAll(shape.spec().affinity().requiredAffinity(), pod.pod(), state));
      case Change.PodGone pod when !pod.pod().spec().affinity().requiredAnti().isEmpty() ->
          Cure.all();
      case Change.PodGone pod ->
          Cure.of(
              (shape, state) ->
                  meansAny(shape.spec().affinity().requiredAnti(), pod.pod(), state)
                      // A pod that its own terms select may go anywhere once no other is selected.
                      || meansAll(shape.spec().affinity().requiredAffinity(), pod.pod(), state));
      case Change.PodChanged pod -> Cure.when(!pod.before().labels().equals(pod.after().labels()));
      case Change.SelfChanged self -> Cure.all();
      case Change.NamespaceChanged namespace -> Cure.all();
      default -> Cure.none();
    };
  }

  private static boolean meansAll(List<AffinityTerm> terms, PodModel pod, ClusterState state) {
    for (AffinityTerm term : terms) {
      if (!means(term, pod, state)) {
        return false;
      }
    }
    return !terms.isEmpty();
  }

  private static boolean meansAny(List<AffinityTerm> terms, PodModel pod, ClusterState state) {
    for (AffinityTerm term : terms) {
      if (means(term, pod, state)) {
        return true;
      }
    }
    return false;
  }

  private static boolean means(AffinityTerm term, PodModel pod, ClusterState state) {
    String namespace = pod.ref().namespace();
    Map<String, String> namespaceLabels = state.namespaces().labelsOf(namespace);
    return MatcherKey.of(term).matches(namespace, namespaceLabels, pod.labels(), false);
  }
}
