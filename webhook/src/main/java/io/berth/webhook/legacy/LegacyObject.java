package io.berth.webhook.legacy;

import io.berth.crds.AllowedNamespaces;
import io.berth.crds.Annotations;
import io.berth.crds.SchedulingPolicySpec;
import io.berth.rules.LabelSyntax;
import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.Problem;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A legacy policy as it is stored: in the only entry of a ConfigMap, with the namespaces that may
 * use it in an annotation.
 *
 * @param place the path of the policy's JSON in the ConfigMap, with a dot at the end
 * @param translated the translation; if there are problems, of what could be translated
 * @param problems the reasons why it could not be read completely, with paths in the ConfigMap
 * @param allowed the namespaces that may use it; null for all namespaces
 */
public record LegacyObject(
    String place,
    Optional<LegacyTranslation.Translated> translated,
    List<Problem> problems,
    @Nullable AllowedNamespaces allowed) {

  private static final String ANNOTATION =
      "metadata.annotations[" + Annotations.ALLOWED_NAMESPACES + "]";

  public LegacyObject {
    problems = List.copyOf(problems);
  }

  /**
   * Reads a ConfigMap.
   *
   * @param data its data, with the policy under any key
   * @param annotations its annotations
   */
  public static LegacyObject of(Map<String, String> data, Map<String, String> annotations) {
    List<Problem> problems = new ArrayList<>();
    AllowedNamespaces allowed = allowedNamespaces(annotations);
    if (allowed != null) {
      check(allowed, problems);
    }
    if (data.size() != 1) {
      problems.add(
          new Problem(
              ErrorCode.LEGACY_POLICY_FORMAT,
              "data",
              "holds " + data.size() + " entries: keep one, with the JSON of a kind: Policy"));
      return new LegacyObject("data.", Optional.empty(), problems, allowed);
    }
    Map.Entry<String, String> file = data.entrySet().iterator().next();
    String place = "data[" + file.getKey() + "].";
    return switch (LegacyPolicies.translate(file.getValue())) {
      case LegacyTranslation.Translated translated ->
          new LegacyObject(place, Optional.of(translated), problems, allowed);
      case LegacyTranslation.Untranslatable(
              List<Problem> found,
              Optional<LegacyTranslation.Translated> rest) -> {
        found.forEach(
            problem ->
                problems.add(
                    new Problem(problem.code(), place + problem.path(), problem.message())));
        yield new LegacyObject(place, rest, problems, allowed);
      }
    };
  }

  /**
   * Returns the namespaces that may use a legacy policy; null for all. An annotation that names
   * none allows none.
   */
  public static @Nullable AllowedNamespaces allowedNamespaces(Map<String, String> annotations) {
    String names = annotations.get(Annotations.ALLOWED_NAMESPACES);
    return names == null
        ? null
        : new AllowedNamespaces(
            Arrays.stream(names.split(",", -1)).map(String::strip).distinct().toList(), null);
  }

  private static void check(AllowedNamespaces allowed, List<Problem> problems) {
    for (String name : allowed.names()) {
      if (!LabelSyntax.ofSubdomain(name).isEmpty()) {
        problems.add(
            new Problem(
                ErrorCode.ALLOWED_NAMESPACES,
                ANNOTATION,
                "\""
                    + name
                    + "\" is not the name of a namespace: separate names with commas, as in"
                    + " \"team-a, team-b\""));
      }
    }
  }

  /** Returns the equivalent spec of a SchedulingPolicy; empty if there is none. */
  public Optional<SchedulingPolicySpec> spec() {
    return translated.map(each -> each.spec().withAllowedNamespaces(allowed));
  }

  /**
   * Returns the path in the ConfigMap.
   *
   * @param path a path in the spec, such as {@code spec.priorities[0].weight}
   */
  public String placeOf(String path) {
    return place + translated.map(each -> each.places().of(path)).orElse(path);
  }
}
