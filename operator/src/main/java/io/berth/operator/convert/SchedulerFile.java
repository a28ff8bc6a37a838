package io.berth.operator.convert;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.engine.policy.PolicyCompilation;
import io.berth.engine.policy.PolicyCompiler;
import io.berth.engine.policy.PolicyProblem;
import io.berth.webhook.legacy.LegacyPolicies;
import io.berth.webhook.legacy.LegacyTranslation;
import java.util.ArrayList;
import java.util.List;

/**
 * Converts the file of another scheduler: a KubeSchedulerConfiguration, or a Policy of versions
 * before 1.23, or the queues of YuniKorn. Each resulting policy is compiled, so that settings that
 * Berth would reject are reported.
 */
public final class SchedulerFile {

  private static final String EXPECTED =
      "a KubeSchedulerConfiguration or a Policy of kube-scheduler, or the queues.yaml of YuniKorn";

  private SchedulerFile() {}

  /**
   * Converts one document.
   *
   * @param document the parsed content of the file
   * @param policyName the policy name for a Policy file, which has none
   * @throws UnconvertibleFileException when the document is none of these
   */
  public static Conversion convert(JsonNode document, String policyName)
      throws UnconvertibleFileException {
    String kind = document.path("kind").asText("");
    Conversion converted =
        switch (kind) {
          case "KubeSchedulerConfiguration" -> new ConfigurationReading(document).convert();
          case "Policy" -> legacy(document, policyName);
          case "" -> queues(document);
          default ->
              throw new UnconvertibleFileException(
                  "its kind is %s: give %s".formatted(kind, EXPECTED));
        };
    List<String> lost = new ArrayList<>(converted.lost());
    for (ConvertedObject object : converted.objects()) {
      if (object instanceof ConvertedPolicy policy
          && new PolicyCompiler().compile(policy.name(), "", policy.spec())
              instanceof PolicyCompilation.Invalid(List<PolicyProblem> problems)) {
        problems.forEach(
            problem ->
                lost.add(
                    "SchedulingPolicy %s, %s: %s"
                        .formatted(policy.name(), problem.path(), problem.message())));
      }
    }
    return new Conversion(converted.objects(), lost, converted.notes());
  }

  private static Conversion queues(JsonNode document) throws UnconvertibleFileException {
    if (!document.has("partitions")) {
      throw new UnconvertibleFileException("it has no kind: give " + EXPECTED);
    }
    return new YunikornQueues().convert(document);
  }

  private static Conversion legacy(JsonNode document, String policyName)
      throws UnconvertibleFileException {
    return switch (LegacyPolicies.translate(document.toString())) {
      case LegacyTranslation.Translated translated -> conversion(policyName, translated, List.of());
      case LegacyTranslation.Untranslatable untranslatable -> {
        List<String> lost =
            untranslatable.problems().stream()
                .map(problem -> problem.path() + ": " + problem.message())
                .toList();
        LegacyTranslation.Translated rest =
            untranslatable
                .rest()
                .orElseThrow(() -> new UnconvertibleFileException(String.join("; ", lost)));
        yield conversion(policyName, rest, lost);
      }
    };
  }

  /** kube-scheduler samples nodes for a Policy file, which cannot say how many. */
  private static Conversion conversion(
      String policyName, LegacyTranslation.Translated translated, List<String> problems) {
    List<String> lost = new ArrayList<>(problems);
    List<String> notes = new ArrayList<>();
    for (LegacyTranslation.Remark remark : translated.remarks()) {
      (remark.effectLost() ? lost : notes).add(remark.text());
    }
    return new Conversion(
        List.of(new ConvertedPolicy(policyName, translated.spec().withPercentageOfNodesToScore(0))),
        lost,
        notes);
  }
}
