package io.berth.rules;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/**
 * The validation rules of {@code pkg/apis/core/validation} in Kubernetes 1.36, with the same
 * messages. Values must have the right JSON type, which is checked when an object is decoded.
 * Immutable and thread-safe.
 */
public final class PlacementRules {

  private final Knowledge knowledge;
  private final boolean stored;

  private PlacementRules(Knowledge knowledge, boolean stored) {
    this.knowledge = knowledge;
    this.stored = stored;
  }

  /**
   * Returns the rules that the API server applies to objects before it stores them, with the
   * default feature gates. At that point, matchLabelKeys are already merged into the selectors of
   * pods.
   */
  public static PlacementRules ofStored() {
    return new PlacementRules(Knowledge.COMPLETE, true);
  }

  /**
   * Returns the rules for parts of pods that have not been created yet. Features that some clusters
   * enable are accepted, and matchLabelKeys are not merged yet.
   */
  public static PlacementRules ofDraft(Knowledge knowledge) {
    return new PlacementRules(knowledge, false);
  }

  /** Checks {@code spec.affinity}. */
  public List<Violation> affinity(JsonNode affinity, String path) {
    List<Violation> violations = new ArrayList<>();
    violations.addAll(nodeAffinity(affinity.path("nodeAffinity"), path + ".nodeAffinity"));
    violations.addAll(podAffinity(affinity.path("podAffinity"), path + ".podAffinity"));
    violations.addAll(podAffinity(affinity.path("podAntiAffinity"), path + ".podAntiAffinity"));
    return violations;
  }

  /** Checks a node affinity; an absent one is valid. */
  public List<Violation> nodeAffinity(JsonNode affinity, String path) {
    Checks checks = new Checks(knowledge);
    new NodeAffinityRules(checks).check(affinity, path);
    return checks.violations();
  }

  /** Checks a pod affinity or anti-affinity; an absent one is valid. */
  public List<Violation> podAffinity(JsonNode affinity, String path) {
    Checks checks = new Checks(knowledge);
    new PodAffinityRules(checks, stored).check(affinity, path);
    return checks.violations();
  }

  /** Checks topology spread constraints. */
  public List<Violation> spreadConstraints(JsonNode constraints, String path) {
    Checks checks = new Checks(knowledge);
    new SpreadRules(checks, stored).check(constraints, path);
    return checks.violations();
  }

  /** Checks tolerations. */
  public List<Violation> tolerations(JsonNode tolerations, String path) {
    Checks checks = new Checks(knowledge);
    new TolerationRules(checks, !stored).check(tolerations, path);
    return checks.violations();
  }

  /** Checks a label selector; an absent one is valid. */
  public List<Violation> labelSelector(JsonNode selector, String path) {
    Checks checks = new Checks(knowledge);
    new SelectorRules(checks).check(selector, path);
    return checks.violations();
  }

  /** Checks a map of labels. */
  public List<Violation> labels(JsonNode labels, String path) {
    Checks checks = new Checks(knowledge);
    checks.labels(labels, path);
    return checks.violations();
  }
}
