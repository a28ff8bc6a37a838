package io.berth.webhook.affinity;

import io.berth.webhook.affinity.Shape.Fields;
import io.berth.webhook.affinity.Shape.Labels;
import io.berth.webhook.affinity.Shape.ListOf;
import io.berth.webhook.affinity.Shape.Text;
import io.berth.webhook.affinity.Shape.Whole;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The shapes of the templated fields of configs, as of Kubernetes 1.36. */
public final class AffinityShapes {

  private static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
  private static final String PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";

  private static final Shape TEXT = new Text();
  private static final Shape TEXTS = new ListOf(TEXT);

  private static final Shape EXPRESSIONS =
      new ListOf(
          new Fields(
              Map.of("key", TEXT, "operator", TEXT, "values", TEXTS), List.of("key", "operator")));

  private static final Shape NODE_TERM =
      new Fields(Map.of("matchExpressions", EXPRESSIONS, "matchFields", EXPRESSIONS), List.of());

  private static final Shape NODE_AFFINITY =
      new Fields(
          Map.of(
              REQUIRED,
              new Fields(
                  Map.of("nodeSelectorTerms", new ListOf(NODE_TERM)), List.of("nodeSelectorTerms")),
              PREFERRED,
              new ListOf(
                  new Fields(
                      Map.of("weight", new Whole(false), "preference", NODE_TERM),
                      List.of("weight", "preference")))),
          List.of());

  private static final Shape SELECTOR =
      new Fields(Map.of("matchLabels", new Labels(), "matchExpressions", EXPRESSIONS), List.of());

  private static final Shape POD_TERM =
      new Fields(
          Map.of(
              "labelSelector", SELECTOR,
              "namespaceSelector", SELECTOR,
              "namespaces", TEXTS,
              "topologyKey", TEXT,
              "matchLabelKeys", TEXTS,
              "mismatchLabelKeys", TEXTS),
          List.of(),
          List.of("labelSelector", "namespaceSelector"));

  private static final Shape POD_AFFINITY =
      new Fields(
          Map.of(
              REQUIRED,
              new ListOf(POD_TERM),
              PREFERRED,
              new ListOf(
                  new Fields(
                      Map.of("weight", new Whole(false), "podAffinityTerm", POD_TERM),
                      List.of("weight", "podAffinityTerm")))),
          List.of());

  private static final Shape SPREAD =
      new ListOf(
          new Fields(
              Map.of(
                  "maxSkew", new Whole(false),
                  "topologyKey", TEXT,
                  "whenUnsatisfiable", TEXT,
                  "labelSelector", SELECTOR,
                  "minDomains", new Whole(false),
                  "nodeAffinityPolicy", TEXT,
                  "nodeTaintsPolicy", TEXT,
                  "matchLabelKeys", TEXTS),
              List.of("maxSkew"),
              List.of("maxSkew", "labelSelector")));

  private static final Shape TOLERATIONS =
      new ListOf(
          new Fields(
              Map.of(
                  "key", new Text(true),
                  "operator", TEXT,
                  "value", TEXT,
                  "effect", TEXT,
                  "tolerationSeconds", new Whole(true)),
              List.of()));

  private AffinityShapes() {}

  /**
   * Returns the shape of a field of a config's spec, such as {@code nodeAffinity}; empty for a
   * field without templates.
   */
  public static Optional<Shape> of(String field) {
    return switch (field) {
      case "nodeAffinity" -> Optional.of(NODE_AFFINITY);
      case "podAffinity", "podAntiAffinity" -> Optional.of(POD_AFFINITY);
      case "topologySpreadConstraints" -> Optional.of(SPREAD);
      case "tolerations" -> Optional.of(TOLERATIONS);
      default -> Optional.empty();
    };
  }
}
