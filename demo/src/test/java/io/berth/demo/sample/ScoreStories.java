package io.berth.demo.sample;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.crds.policy.WaterLevelMode;
import io.berth.crds.policy.WaterLevelStatus;
import io.berth.demo.ground.BerthGround;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The stories of the samples about scores. */
final class ScoreStories {
  private static final int NODES = 9;
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String IMAGE_HOLDER = "node-b-1";

  private ScoreStories() {}

  static Story gpuBalance() {
    String gpus =
        "kubectl patch node %s --subresource=status --type=merge -p"
            + " '{\"status\":{\"capacity\":{\"nvidia.com/gpu\":\"4\"},"
            + "\"allocatable\":{\"nvidia.com/gpu\":\"4\"}}}'";
    return new Story.Steps()
        .then("kubectl label node node-a-0 node-b-0 example.com/gpu=present", g -> {})
        .then(gpus.formatted("node-a-0"), g -> {})
        .then(gpus.formatted("node-b-0"), g -> {})
        .then("kubectl apply -f samples/gpu-balance", g -> g.awaitPolicy("gpu-balance", "Serving"))
        .then(
            "kubectl get pods -l app=build -o wide",
            g -> assertThat(byNode(g, "build")).containsValue(1L))
        .then("kubectl scale deployment inference --replicas=4", g -> {})
        .then(
            "kubectl get pods -l app=inference -o wide",
            g ->
                assertThat(byNode(g, "inference"))
                    .as("beside the build")
                    .isEqualTo(Map.of(onlyNode(g, "build"), 4L)))
        .then("kubectl scale deployment training --replicas=1", g -> {})
        .then(
            "kubectl get pods -l app=training -o wide",
            g ->
                assertThat(onlyNode(g, "training"))
                    .isIn("node-a-0", "node-b-0")
                    .isNotEqualTo(onlyNode(g, "build")))
        .of("gpu-balance");
  }

  static Story waterLevel() {
    String level = "kubectl get spol water-level -o jsonpath='{.status.waterLevels}'";
    return new Story.Steps()
        .then("kubectl apply -f samples/water-level", g -> g.awaitPolicy("water-level", "Serving"))
        .then(
            "kubectl get pods -l app=small -o wide",
            g -> assertThat(byNode(g, "small")).hasSize(NODES))
        .then(
            "kubectl scale deployment small --replicas=27",
            g -> assertThat(placed(g, "small")).isEqualTo(27))
        .then(
            level,
            g ->
                assertThat(g.policy("water-level").waterLevels())
                    .containsExactly(new WaterLevelStatus("cluster", WaterLevelMode.PACK, 75)))
        .then("kubectl scale deployment large --replicas=4", g -> {})
        .then(
            "kubectl get pods -l app=large -o wide",
            g -> assertThat(placed(g, "large")).isEqualTo(4))
        .then("kubectl scale deployment large --replicas=0", g -> {})
        .then("kubectl scale deployment small --replicas=9", g -> {})
        .then(
            level,
            g ->
                assertThat(g.policy("water-level").waterLevels())
                    .containsExactly(new WaterLevelStatus("cluster", WaterLevelMode.SPREAD, 25)))
        .of("water-level");
  }

  static Story measuredLoad(String busy) {
    return new Story.Steps()
        .then("kubectl annotate node NODE sandbox.berth.io/usage-cpu=3900m", g -> {})
        .then(
            "kubectl top nodes",
            g ->
                assertThat(g.admin().top().nodes().metrics(busy).getUsage())
                    .containsEntry("cpu", new Quantity("3900m")))
        .then(
            "kubectl apply -f samples/measured-load/policy.yaml",
            g -> g.awaitPolicy("measured-load", "Serving"))
        .then(
            "kubectl get spol measured-load -o yaml",
            g ->
                assertThat(g.policy("measured-load").conditions())
                    .anySatisfy(
                        condition -> {
                          assertThat(condition.getType()).isEqualTo("LoadMeasured");
                          assertThat(condition.getStatus()).isEqualTo("True");
                        }))
        .then(
            "kubectl apply -f samples/measured-load/workload.yaml",
            g -> assertThat(placed(g, "api")).isEqualTo(16))
        .then(
            "kubectl get pods -l app=api -o wide",
            g ->
                assertThat(byNode(g, "api"))
                    .hasSize(NODES - 1)
                    .doesNotContainKey(busy)
                    .allSatisfy((node, pods) -> assertThat(pods).isEqualTo(2)))
        .then(
            "kubectl top pods",
            g ->
                assertThat(g.admin().top().pods().metrics("default").getItems())
                    .hasSizeGreaterThanOrEqualTo(16))
        .of("measured-load");
  }

  static Story imageLocality() {
    return new Story.Steps()
        .then(
            "kubectl patch node node-b-1 --subresource=status --type=merge -p"
                + " '{\"status\":{\"images\":[{\"names\":[\"registry.example.com/spark:3.5\"],"
                + "\"sizeBytes\":1400000000}]}}'",
            g -> {})
        .then(
            "kubectl apply -f samples/image-locality",
            g -> assertThat(g.pods("default", "spark")).hasSize(60))
        .then(
            "kubectl get pods -l app=spark -o wide",
            g -> assertThat(byNode(g, "spark")).isEqualTo(Map.of(IMAGE_HOLDER, 60L)))
        .answered(
            "kubectl get decision POD -o yaml",
            (g, output) ->
                assertThat(
                        JSON.readTree(output.text())
                            .at("/status/decidedBy/plugins/0/plugin")
                            .asText())
                    .isEqualTo("ImageLocality"))
        .then(
            "kubectl patch spol spark --type merge -p"
                + " '{\"spec\":{\"priorities\":[{\"name\":\"ImageLocality\",\"weight\":1,"
                + "\"args\":{\"maxScore\":2}}]}}'",
            g -> assertThat(g.policy("spark").servingRevision()).isEqualTo("2"))
        .then("kubectl delete job spark", g -> assertThat(g.pods("default", "spark")).isEmpty())
        .then("kubectl apply -f samples/image-locality/workload.yaml", g -> {})
        .then(
            "kubectl get pods -l app=spark -o wide",
            g -> {
              Map<String, Long> byNode = byNode(g, "spark");
              assertThat(byNode).hasSize(NODES);
              assertThat(byNode.remove(IMAGE_HOLDER)).isBetween(8L, 30L);
              assertThat(byNode.values()).allSatisfy(pods -> assertThat(pods).isBetween(3L, 7L));
            })
        .then(
            "kubectl patch spol spark --type merge -p"
                + " '{\"spec\":{\"priorities\":[{\"name\":\"ImageLocality\",\"weight\":0}]}}'",
            g -> assertThat(g.policy("spark").servingRevision()).isEqualTo("3"))
        .then("kubectl delete job spark", g -> assertThat(g.pods("default", "spark")).isEmpty())
        .then("kubectl apply -f samples/image-locality/workload.yaml", g -> {})
        .then(
            "kubectl get pods -l app=spark -o wide",
            g ->
                assertThat(byNode(g, "spark").values())
                    .hasSize(NODES)
                    .allSatisfy(pods -> assertThat(pods).isBetween(5L, 9L)))
        .of("image-locality");
  }

  private static Map<String, Long> byNode(BerthGround ground, String app) {
    return nodes(ground, app).stream()
        .collect(Collectors.groupingBy(node -> node, Collectors.counting()));
  }

  private static String onlyNode(BerthGround ground, String app) {
    List<String> nodes = nodes(ground, app);
    assertThat(nodes).as(app).hasSize(1);
    return nodes.getFirst();
  }

  private static int placed(BerthGround ground, String app) {
    return nodes(ground, app).size();
  }

  private static List<String> nodes(BerthGround ground, String app) {
    return ground.pods("default", app).stream()
        .map(pod -> pod.getSpec().getNodeName())
        .filter(node -> node != null)
        .toList();
  }
}
