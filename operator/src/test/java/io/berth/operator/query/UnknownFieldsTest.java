package io.berth.operator.query;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.berth.crds.NodeSchedulerConfigSpec;
import io.berth.crds.PodSchedulerConfigSpec;
import io.berth.crds.SchedulerConfigBindingSpec;
import io.berth.crds.SchedulingPolicySpec;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class UnknownFieldsTest {
  private static final YAMLMapper YAML = new YAMLMapper();

  private static final Map<String, Class<?>> SPECS =
      Map.of(
          "NodeSchedulerConfig", NodeSchedulerConfigSpec.class,
          "PodSchedulerConfig", PodSchedulerConfigSpec.class,
          "SchedulerConfigBinding", SchedulerConfigBindingSpec.class,
          "SchedulingPolicy", SchedulingPolicySpec.class);

  @Test
  void samples_haveOnlyKnownFields() throws IOException {
    int objects = 0;
    for (Path file : samples()) {
      try (MappingIterator<JsonNode> documents =
          YAML.readerFor(JsonNode.class).readValues(file.toFile())) {
        while (documents.hasNext()) {
          JsonNode object = documents.next();
          Class<?> spec = SPECS.get(object.path("kind").asText());
          if (spec != null) {
            objects++;
            assertThat(UnknownFields.of("spec", object.path("spec"), spec))
                .as("%s", file)
                .isEmpty();
          } else if (object.path("kind").asText().equals("Deployment")) {
            objects++;
            assertThat(UnknownFields.of("deployment", object, Deployment.class)).isEmpty();
          }
        }
      }
    }
    assertThat(objects).isGreaterThan(10);
  }

  private static List<Path> samples() throws IOException {
    try (Stream<Path> files = Files.walk(Path.of("..", "samples"))) {
      return files.filter(file -> file.toString().endsWith(".yaml")).toList();
    }
  }

  @Test
  void fieldsOfEveryForm_areKnown() throws IOException {
    JsonNode spec =
        YAML.readTree(
            """
            nodeSelector: {any.example.com/key: value}
            tolerations: [{key: a, operator: Exists, tolerationSeconds: 3}]
            resourceClaims: [{name: gpu, resourceClaimTemplateName: gpus}]
            resources: {requests: {cpu: "1"}}
            affinity:
              podAntiAffinity:
                requiredDuringSchedulingIgnoredDuringExecution:
                - {topologyKey: zone, labelSelector: {matchLabels: {a: b}}, matchLabelKeys: [c]}
            topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, minDomains: 2}]
            containers:
            - name: main
              resources: {limits: {example.com/card: 1}, claims: [{name: gpu}]}
              ports: [{containerPort: 80, hostPort: 80}]
              readinessProbe: {httpGet: {port: http}}
              env: [{name: A, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}]
            volumes:
            - name: data
              ephemeral:
                volumeClaimTemplate: {spec: {resources: {requests: {storage: 1Gi}}}}
            """);

    assertThat(UnknownFields.of("spec", spec, PodSpec.class)).isEmpty();
  }

  @Test
  void unknownFields_areNamedWithTheirPaths() throws IOException {
    JsonNode spec =
        YAML.readTree("containers: [{}, {resources: {limit: {cpu: 1}}}]\nvolumes: [{names: a}]");

    assertThat(UnknownFields.of("spec", spec, PodSpec.class))
        .containsExactly("spec.containers[1].resources.limit", "spec.volumes[0].names");
  }
}
