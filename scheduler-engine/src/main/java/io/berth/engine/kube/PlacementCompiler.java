package io.berth.engine.kube;

import io.berth.engine.model.AffinityTerm;
import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.NodeSelection;
import io.berth.engine.model.NodeTerm;
import io.berth.engine.model.PodAffinity;
import io.berth.engine.model.Requirement;
import io.berth.engine.model.SpreadConstraint;
import io.berth.engine.model.Toleration;
import io.berth.engine.model.WeightedAffinityTerm;
import io.berth.engine.model.WeightedNodeTerm;
import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.NodeAffinity;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.PodAffinityTerm;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PreferredSchedulingTerm;
import io.fabric8.kubernetes.api.model.TopologySpreadConstraint;
import io.fabric8.kubernetes.api.model.WeightedPodAffinityTerm;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a pod's spec says about where it wants to be. */
final class PlacementCompiler {
  private static final String NODE_AFFINITY = "spec.affinity.nodeAffinity";

  private final PodSpec spec;
  private final String namespace;
  private final Map<String, String> labels;

  /**
   * @param namespace the pod's own
   * @param labels the pod's own
   */
  PlacementCompiler(PodSpec spec, String namespace, Map<String, String> labels) {
    this.spec = spec;
    this.namespace = namespace;
    this.labels = labels;
  }

  NodeSelection nodes() {
    Map<String, String> nodeSelector = spec.getNodeSelector();
    Affinity affinity = spec.getAffinity();
    NodeAffinity nodeAffinity = affinity == null ? null : affinity.getNodeAffinity();
    if (nodeAffinity == null && (nodeSelector == null || nodeSelector.isEmpty())) {
      return NodeSelection.none();
    }
    return new NodeSelection(
        nodeSelector == null ? Map.of() : nodeSelector,
        nodeAffinity == null ? Optional.empty() : required(nodeAffinity),
        nodeAffinity == null ? List.of() : preferred(nodeAffinity));
  }

  private static Optional<List<NodeTerm>> required(NodeAffinity affinity) {
    if (affinity.getRequiredDuringSchedulingIgnoredDuringExecution() == null) {
      return Optional.empty();
    }
    List<NodeTerm> terms = new ArrayList<>();
    for (NodeSelectorTerm term :
        affinity.getRequiredDuringSchedulingIgnoredDuringExecution().getNodeSelectorTerms()) {
      terms.add(Selectors.nodeTerm(term, NODE_AFFINITY + ".required"));
    }
    return Optional.of(terms);
  }

  private static List<WeightedNodeTerm> preferred(NodeAffinity affinity) {
    List<WeightedNodeTerm> terms = new ArrayList<>();
    for (PreferredSchedulingTerm term :
        affinity.getPreferredDuringSchedulingIgnoredDuringExecution()) {
      int weight = requireWeight(term.getWeight(), NODE_AFFINITY + ".preferred");
      if (term.getPreference() != null) {
        terms.add(
            new WeightedNodeTerm(
                weight, Selectors.nodeTerm(term.getPreference(), NODE_AFFINITY + ".preferred")));
      }
    }
    return terms;
  }

  List<Toleration> tolerations() {
    List<Toleration> tolerations = new ArrayList<>(spec.getTolerations().size());
    for (io.fabric8.kubernetes.api.model.Toleration toleration : spec.getTolerations()) {
      String key = toleration.getKey() == null ? "" : toleration.getKey();
      String where = "toleration of '" + key + "'";
      String effect = toleration.getEffect();
      tolerations.add(
          new Toleration(
              key,
              existsOperator(toleration.getOperator(), where),
              toleration.getValue() == null ? "" : toleration.getValue(),
              effect == null || effect.isEmpty()
                  ? Optional.empty()
                  : Optional.of(NodeCompiler.effect(effect, where))));
    }
    return tolerations;
  }

  private static boolean existsOperator(@Nullable String operator, String where) {
    return switch (operator) {
      case "Exists" -> true;
      case "", "Equal" -> false;
      case null -> false;
      default -> throw new RefusedException(where + " has the unknown operator '" + operator + "'");
    };
  }

  PodAffinity affinity() {
    Affinity affinity = spec.getAffinity();
    if (affinity == null
        || (affinity.getPodAffinity() == null && affinity.getPodAntiAffinity() == null)) {
      return PodAffinity.none();
    }
    List<AffinityTerm> required = List.of();
    List<WeightedAffinityTerm> preferred = List.of();
    if (affinity.getPodAffinity() != null) {
      String where = "spec.affinity.podAffinity";
      required =
          terms(
              affinity.getPodAffinity().getRequiredDuringSchedulingIgnoredDuringExecution(), where);
      preferred =
          weightedTerms(
              affinity.getPodAffinity().getPreferredDuringSchedulingIgnoredDuringExecution(),
              where);
    }
    List<AffinityTerm> requiredAnti = List.of();
    List<WeightedAffinityTerm> preferredAnti = List.of();
    if (affinity.getPodAntiAffinity() != null) {
      String where = "spec.affinity.podAntiAffinity";
      requiredAnti =
          terms(
              affinity.getPodAntiAffinity().getRequiredDuringSchedulingIgnoredDuringExecution(),
              where);
      preferredAnti =
          weightedTerms(
              affinity.getPodAntiAffinity().getPreferredDuringSchedulingIgnoredDuringExecution(),
              where);
    }
    return new PodAffinity(required, requiredAnti, preferred, preferredAnti);
  }

  private List<AffinityTerm> terms(List<PodAffinityTerm> terms, String where) {
    List<AffinityTerm> result = new ArrayList<>(terms.size());
    for (PodAffinityTerm term : terms) {
      result.add(term(term, where + ".required"));
    }
    return result;
  }

  private List<WeightedAffinityTerm> weightedTerms(
      List<WeightedPodAffinityTerm> terms, String where) {
    List<WeightedAffinityTerm> result = new ArrayList<>(terms.size());
    for (WeightedPodAffinityTerm term : terms) {
      result.add(
          new WeightedAffinityTerm(
              requireWeight(term.getWeight(), where + ".preferred"),
              term(term.getPodAffinityTerm(), where + ".preferred")));
    }
    return result;
  }

  private AffinityTerm term(@Nullable PodAffinityTerm term, String where) {
    if (term == null) {
      throw new RefusedException(where + " has a preference without a term");
    }
    boolean ownNamespace = term.getNamespaces().isEmpty() && term.getNamespaceSelector() == null;
    return new AffinityTerm(
        ownNamespace ? Set.of(namespace) : Set.copyOf(term.getNamespaces()),
        Selectors.labelSelector(term.getNamespaceSelector(), where + ".namespaceSelector"),
        Selectors.labelSelector(term.getLabelSelector(), where + ".labelSelector"),
        Labels.requireName(term.getTopologyKey(), where + ".topologyKey"));
  }

  List<SpreadConstraint> spread() {
    List<SpreadConstraint> result = new ArrayList<>(spec.getTopologySpreadConstraints().size());
    for (TopologySpreadConstraint constraint : spec.getTopologySpreadConstraints()) {
      String where = "spec.topologySpreadConstraints over '" + constraint.getTopologyKey() + "'";
      result.add(
          new SpreadConstraint(
              atLeastOne(constraint.getMaxSkew(), where + ": maxSkew"),
              Labels.requireName(constraint.getTopologyKey(), where + ": topologyKey"),
              isHard(constraint.getWhenUnsatisfiable(), where),
              spreadSelector(constraint, where),
              constraint.getMinDomains() == null
                  ? 1
                  : atLeastOne(constraint.getMinDomains(), where + ": minDomains"),
              honors(constraint.getNodeAffinityPolicy(), true, where + ": nodeAffinityPolicy"),
              honors(constraint.getNodeTaintsPolicy(), false, where + ": nodeTaintsPolicy")));
    }
    return result;
  }

  /** The constraint's selector, and the pod's own values of the keys in matchLabelKeys. */
  private LabelSelector spreadSelector(TopologySpreadConstraint constraint, String where) {
    LabelSelector selector =
        Selectors.labelSelector(constraint.getLabelSelector(), where + ": labelSelector");
    if (selector.matchesNothing() || constraint.getMatchLabelKeys().isEmpty()) {
      return selector;
    }
    List<Requirement> requirements = new ArrayList<>(selector.requirements());
    for (String key : constraint.getMatchLabelKeys()) {
      String value = labels.get(key);
      if (value != null) {
        requirements.add(Selectors.isOneOf(key, value));
      }
    }
    return LabelSelector.of(requirements);
  }

  private static boolean isHard(@Nullable String whenUnsatisfiable, String where) {
    return switch (whenUnsatisfiable) {
      case "DoNotSchedule" -> true;
      case "ScheduleAnyway" -> false;
      case null, default ->
          throw new RefusedException(
              where + " has the unknown whenUnsatisfiable '" + whenUnsatisfiable + "'");
    };
  }

  private static boolean honors(@Nullable String policy, boolean whereAbsent, String where) {
    return switch (policy) {
      case "Honor" -> true;
      case "Ignore" -> false;
      case null -> whereAbsent;
      default -> throw new RefusedException(where + " is '" + policy + "', not Honor or Ignore");
    };
  }

  private static int atLeastOne(@Nullable Integer number, String where) {
    if (number == null || number < 1) {
      throw new RefusedException(where + " is " + number + ", not at least 1");
    }
    return number;
  }

  private static int requireWeight(@Nullable Integer weight, String where) {
    if (weight == null || weight < 0 || weight > 100) {
      throw new RefusedException(where + " has the weight " + weight + ", not 1 to 100");
    }
    return weight;
  }
}
