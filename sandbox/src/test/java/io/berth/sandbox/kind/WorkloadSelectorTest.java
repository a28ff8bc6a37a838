package io.berth.sandbox.kind;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.berth.sandbox.admission.PodDefaulting;
import io.berth.sandbox.failure.FieldError;
import io.berth.sandbox.kind.WorkloadRules.Workload;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Selectors that a real API server rejects, with its messages. */
class WorkloadSelectorTest {
  private static final String OPERATOR =
      "spec.selector.matchExpressions[0].operator: Invalid value: \"Inn\": not a valid selector"
          + " operator";
  private static final String WHOLE =
      "spec.selector: Invalid value:"
          + " {\"matchExpressions\":[{\"key\":\"app\",\"operator\":\"Inn\",\"values\":[\"x\"]}]}";

  private static List<String> refused(Workload workload, String selector)
      throws JsonProcessingException {
    ObjectNode object =
        (ObjectNode)
            new YAMLMapper()
                .readTree(
                    """
                    spec:
                      selector: %s
                      template:
                        metadata: {labels: {app: x}}
                        spec: {containers: [{name: main, image: busybox}]}
                    """
                        .formatted(selector));
    return new WorkloadRules(workload, new PodDefaulting())
        .validateCreate(object).stream().map(FieldError::text).toList();
  }

  @ParameterizedTest
  @CsvSource({
    "DEPLOYMENT, ': invalid label selector'",
    "REPLICA_SET, ': invalid label selector'",
    "STATEFUL_SET, ''",
  })
  void aWrongPart_makesTheWholeWrong(Workload workload, String detail)
      throws JsonProcessingException {
    assertThat(refused(workload, "{matchExpressions: [{key: app, operator: Inn, values: [x]}]}"))
        .containsExactly(OPERATOR, WHOLE + detail);
  }

  @Test
  void ofADaemonSetThePart_isAllThatIsSaid() throws JsonProcessingException {
    assertThat(
            refused(
                Workload.DAEMON_SET,
                "{matchExpressions: [{key: app, operator: Inn, values: [x]}]}"))
        .containsExactly(OPERATOR);
  }

  @ParameterizedTest
  @CsvSource({
    "DEPLOYMENT, deployment",
    "REPLICA_SET, deployment",
    "STATEFUL_SET, statefulset",
    "DAEMON_SET, daemonset",
  })
  void anEmptySelector_isRefused(Workload workload, String kind) throws JsonProcessingException {
    assertThat(refused(workload, "{}"))
        .containsExactly("spec.selector: Invalid value: {}: empty selector is invalid for " + kind);
  }

  @ParameterizedTest
  @CsvSource({"DEPLOYMENT", "STATEFUL_SET", "DAEMON_SET"})
  void aSelectorOfTheTemplate_isAccepted(Workload workload) throws JsonProcessingException {
    assertThat(refused(workload, "{matchLabels: {app: x}}")).isEmpty();
  }
}
