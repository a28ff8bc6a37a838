package io.berth.demo.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.demo.cluster.LocalCluster;
import io.berth.sandbox.kubelet.KubeletOptions;
import io.berth.webhook.affinity.AffinityValidator;
import io.berth.webhook.error.Problem;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Validation of pod placement by the embedded cluster and the webhook, compared with
 * kube-apiserver.
 */
class RecordedAnswersTest {

  /**
   * Cases that only the webhook rejects, because they match nothing or fail for every pod with the
   * label.
   */
  private static final Set<String> USELESS =
      Set.of(
          "node affinity: gt word",
          "pod affinity: key absent in selector",
          "spread constraint: key absent in selector");

  /** Cases that depend on a feature gate that the cluster may have enabled. */
  private static final Set<String> GATED = Set.of("toleration: lt");

  /** Cases that are not part of a config. */
  private static final Set<String> ELSEWHERE = Set.of("node selector: label");

  private static LocalCluster cluster;

  @BeforeAll
  static void start() {
    cluster = LocalCluster.start(0, 0, KubeletOptions.immediate());
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  static List<RecordedAnswer> answers() throws IOException {
    return RecordedAnswer.all();
  }

  @ParameterizedTest
  @MethodSource("answers")
  void embeddedCluster_saysTheSameOfPods(RecordedAnswer answer) {
    assertThat(answer.ofPod(cluster.admin())).containsExactlyElementsOf(answer.pod());
  }

  @ParameterizedTest
  @MethodSource("answers")
  void embeddedCluster_saysTheSameOfDeployments(RecordedAnswer answer) {
    assertThat(answer.ofTemplate(cluster.admin())).containsExactlyElementsOf(answer.template());
  }

  @ParameterizedTest
  @MethodSource("answers")
  void webhook_refusesWhatTheApiServerRefuses(RecordedAnswer answer) {
    boolean refused =
        !ELSEWHERE.contains(answer.name())
            && !GATED.contains(answer.name())
            && (!answer.pod().isEmpty() || USELESS.contains(answer.name()));

    assertThat(problems(answer.spec()).isEmpty()).isEqualTo(!refused);
  }

  private static List<Problem> problems(JsonNode spec) {
    AffinityValidator validator = new AffinityValidator();
    List<Problem> problems = new ArrayList<>();
    for (Map.Entry<String, JsonNode> affinity : spec.path("affinity").properties()) {
      problems.addAll(validator.check(affinity.getKey(), affinity.getValue(), affinity.getKey()));
    }
    for (String field : List.of("topologySpreadConstraints", "tolerations")) {
      if (spec.has(field)) {
        problems.addAll(validator.check(field, spec.path(field), field));
      }
    }
    return problems;
  }
}
