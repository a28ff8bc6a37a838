package io.berth.sandbox.kind;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.junit.jupiter.api.Test;

class LabelKeysTest {

  @Test
  void keysOfLabelsThatThePodHas_becomeExpressions() {
    ObjectNode pod =
        (ObjectNode)
            tree(
                """
                metadata: {labels: {app: web, rev: '7'}}
                spec:
                  containers: []
                  affinity:
                    podAntiAffinity:
                      requiredDuringSchedulingIgnoredDuringExecution:
                      - topologyKey: host
                        labelSelector: {matchLabels: {app: web}}
                        matchLabelKeys: [rev, missing]
                        mismatchLabelKeys: [app]
                  topologySpreadConstraints:
                  - topologyKey: zone
                    labelSelector: {matchLabels: {app: web}}
                    matchLabelKeys: [rev]
                """);

    LabelKeys.merge(pod, true);

    assertThat(
            pod.at(
                "/spec/affinity/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution/0"
                    + "/labelSelector/matchExpressions"))
        .isEqualTo(
            tree(
                "[{key: rev, operator: In, values: ['7']}, {key: app, operator: NotIn, values:"
                    + " [web]}]"));
    assertThat(pod.at("/spec/topologySpreadConstraints/0/labelSelector/matchExpressions"))
        .isEqualTo(tree("[{key: rev, operator: In, values: ['7']}]"));
  }

  private static JsonNode tree(String yaml) {
    try {
      return new YAMLMapper().readTree(yaml);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
