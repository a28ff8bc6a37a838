package io.berth.operator.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pods are rendered without a cluster as the webhook renders them. */
class RenderCommandTest {

  @TempDir Path folder;

  private static List<JsonNode> pods(CommandRun run) throws IOException {
    try (var documents =
        new YAMLMapper().readerFor(JsonNode.class).<JsonNode>readValues(run.out())) {
      return documents.readAll();
    }
  }

  @Test
  void podOfADeployment_hasTheAffinityOfItsConfigs() throws IOException {
    CommandRun run =
        CommandRun.of("render", "-f", Path.of("..", "samples", "resource-pool").toString());

    assertThat(run.exitCode()).isZero();
    assertThat(pods(run))
        .singleElement()
        .satisfies(
            pod -> {
              assertThat(pod.path("kind").asText()).isEqualTo("Pod");
              assertThat(pod.at("/metadata/generateName").asText()).isEqualTo("web-");
              assertThat(pod.path("metadata").has("ownerReferences")).isFalse();
              assertThat(pod.at("/spec/schedulerName").asText()).isEqualTo("berth");
              assertThat(
                      pod.at(
                          "/spec/affinity/nodeAffinity"
                              + "/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms"))
                  .hasSize(2);
            });
  }

  @Test
  void bindingOfAFile_reachesThePodsOfItsNamespace() throws IOException {
    CommandRun run =
        CommandRun.of("render", "-f", Path.of("..", "samples", "private-then-public").toString());

    assertThat(run.exitCode()).isZero();
    assertThat(pods(run))
        .allSatisfy(
            pod ->
                assertThat(
                        pod.path("metadata")
                            .path("annotations")
                            .path("sched.cloud.ctrip.com/applied")
                            .asText())
                    .contains("binding team-data/spark-to-our-pool"));
  }

  @Test
  void podThatWouldBeDenied_isNotPrinted_butWhy() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("web.yaml"),
            """
            apiVersion: v1
            kind: Pod
            metadata: {name: web, annotations: {scb.sched.cloud.ctrip.com/nsc: none}}
            spec: {containers: [{name: main, image: busybox}]}
            """);

    CommandRun run = CommandRun.of("render", "-f", file.toString());

    assertThat(run.out()).isEmpty();
    assertThat(run.err()).contains("Pod/web: BERTH-1601");
    assertThat(run.exitCode()).isEqualTo(1);
  }
}
