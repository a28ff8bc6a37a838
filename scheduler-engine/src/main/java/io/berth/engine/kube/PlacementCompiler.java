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

/** Compiles the placement rules of a pod's spec. */
final class PlacementCompiler {
  private static final String NODE_AFFINITY = "spec.affinity.nodeAffinity";

  private final PodSpec spec;
  private final String namespace;
  private final Map<String, String> labels;
  private final PodReading reading;

  /**
   * @param namespace the pod's namespace
   * @param labels the pod's labels
   */
  PlacementCompiler(
      PodSpec spec, String namespace, Map<String, String> labels, PodReading reading) {
    this.spec = spec;
    this.namespace = namespace;
    this.labels = labels;
    this.reading = reading;
  }

  NodeSelection nodes() {
    return reading.part(this::readNodes, NodeSelection.none());
  }

  private NodeSelection readNodes() {
    Map<String, String> nodeSelector = spec.getNodeSelector();
    Affinity affinity = spec.getAffinity();
    NodeAffinity nodeAffinity = affinity == null ? null : affinity.getNodeAffinity();
    if (nodeAffinity == null && (nodeSelector == null || nodeSelector.isEmpty())) {
      return NodeSelection.none();
    }
    if (nodeSelector != null) {
      PodLimit.NODE_SELECTOR_PAIRS.check(nodeSelector.size(), "spec.nodeSelector");
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
    List<NodeSelectorTerm> required =
        affinity.getRequiredDuringSchedulingIgnoredDuringExecution().getNodeSelectorTerms();
    PodLimit.NODE_TERMS.check(required.size(), NODE_AFFINITY + ".required");
    List<NodeTerm> terms = new ArrayList<>();
    for (NodeSelectorTerm term : required) {
      terms.add(Selectors.nodeTerm(term, NODE_AFFINITY + ".required"));
    }
    return Optional.of(terms);
  }

  private static List<WeightedNodeTerm> preferred(NodeAffinity affinity) {
    List<PreferredSchedulingTerm> preferred =
        affinity.getPreferredDuringSchedulingIgnoredDuringExecution();
    PodLimit.NODE_TERMS.check(preferred.size(), NODE_AFFINITY + ".preferred");
    List<WeightedNodeTerm> terms = new ArrayList<>();
    for (PreferredSchedulingTerm term : preferred) {
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
    return reading.each(
        spec.getTolerations(),
        PodLimit.TOLERATIONS,
        "spec.tolerations",
        PlacementCompiler::toleration);
  }

  private static Toleration toleration(io.fabric8.kubernetes.api.model.Toleration toleration) {
    String key = toleration.getKey() == null ? "" : toleration.getKey();
    String where = "toleration of '" + key + "'";
    String effect = toleration.getEffect();
    return new Toleration(
        key,
        existsOperator(toleration.getOperator(), where),
        toleration.getValue() == null ? "" : toleration.getValue(),
        effect == null || effect.isEmpty()
            ? Optional.empty()
            : Optional.of(NodeCompiler.effect(effect, where)));
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
    String place = where + ".required";
    return reading.each(terms, PodLimit.AFFINITY_TERMS, place, term -> term(term, place));
  }

  private List<WeightedAffinityTerm> weightedTerms(
      List<WeightedPodAffinityTerm> terms, String where) {
    String place = where + ".preferred";
    return reading.each(
        terms,
        PodLimit.AFFINITY_TERMS,
        place,
        term ->
            new WeightedAffinityTerm(
                requireWeight(term.getWeight(), place), term(term.getPodAffinityTerm(), place)));
  }

  private AffinityTerm term(@Nullable PodAffinityTerm term, String where) {
    if (term == null) {
      throw new RefusedException(where + " has a preference without a term");
    }
    PodLimit.NAMESPACES.check(term.getNamespaces().size(), where + ".namespaces");
    boolean ownNamespace = term.getNamespaces().isEmpty() && term.getNamespaceSelector() == null;
    return new AffinityTerm(
        ownNamespace ? Set.of(namespace) : Set.copyOf(term.getNamespaces()),
        Selectors.labelSelector(term.getNamespaceSelector(), where + ".namespaceSelector"),
        Selectors.labelSelector(term.getLabelSelector(), where + ".labelSelector"),
        Labels.requireName(term.getTopologyKey(), where + ".topologyKey"));
  }

  List<SpreadConstraint> spread() {
    return reading.each(
        spec.getTopologySpreadConstraints(),
        PodLimit.SPREAD_CONSTRAINTS,
        "spec.topologySpreadConstraints",
        this::spreadConstraint);
  }

  private SpreadConstraint spreadConstraint(TopologySpreadConstraint constraint) {
    String where = "spec.topologySpreadConstraints over '" + constraint.getTopologyKey() + "'";
    return new SpreadConstraint(
        atLeastOne(constraint.getMaxSkew(), where + ": maxSkew"),
        Labels.requireName(constraint.getTopologyKey(), where + ": topologyKey"),
        isHard(constraint.getWhenUnsatisfiable(), where),
        spreadSelector(constraint, where),
        constraint.getMinDomains() == null
            ? 1
            : atLeastOne(constraint.getMinDomains(), where + ": minDomains"),
        honors(constraint.getNodeAffinityPolicy(), true, where + ": nodeAffinityPolicy"),
        honors(constraint.getNodeTaintsPolicy(), false, where + ": nodeTaintsPolicy"));
  }

  /**
   * Returns the constraint's selector, merged with the pod's values of the keys in matchLabelKeys.
   */
  private LabelSelector spreadSelector(TopologySpreadConstraint constraint, String where) {
    LabelSelector selector =
        Selectors.labelSelector(constraint.getLabelSelector(), where + ": labelSelector");
    if (selector.matchesNothing() || constraint.getMatchLabelKeys().isEmpty()) {
      return selector;
    }
    PodLimit.SELECTOR_REQUIREMENTS.check(
        constraint.getMatchLabelKeys().size(), where + ": matchLabelKeys");
    List<Requirement> requirements = new ArrayList<>(selector.requirements());
    for (String key : constraint.getMatchLabelKeys()) {
      String value = labels.get(key);
      if (value != null) {
        requirements.add(Requirement.isOneOf(key, value));
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
