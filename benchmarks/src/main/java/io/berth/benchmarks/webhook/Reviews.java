package io.berth.benchmarks.webhook;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.Annotations;
import io.berth.crds.NodeSchedulerConfig;
import io.berth.crds.PodSchedulerConfig;
import io.berth.crds.SchedulerConfigBinding;
import io.berth.crds.SchedulingPolicy;
import io.berth.webhook.binding.LiveCatalog;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The configuration of a platform, and the reviews of pods that its app teams create. A third of
 * the pods name a config in their annotations; the bindings are split between the teams' namespaces
 * and the operator's namespace.
 */
final class Reviews {
  static final String OPERATOR_NAMESPACE = "berth-system";

  private static final int NAMESPACES = 50;
  private static final int APPS = 40;
  private static final int PODS = 240;
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String POOL =
      """
      {"metadata":{"name":"pool-NUMBER","generation":1},"spec":{"nodeAffinity":{
        "requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[
          {"matchExpressions":[{"key":"example.com/pool","operator":"In","values":["${Preferred}"]}]},
          {"matchExpressions":[{"key":"example.com/pool","operator":"In","values":["${Default}"]}]}]},
        "preferredDuringSchedulingIgnoredDuringExecution":[
          {"weight":3,"preference":{"matchExpressions":[{"key":"example.com/pool","operator":"In","values":["${Preferred}"]}]}},
          {"weight":2,"preference":{"matchExpressions":[{"key":"example.com/pool","operator":"In","values":["${Default}"]}]}}]},
        "tolerations":[{"key":"example.com/pool","operator":"Equal","value":"${Preferred}","effect":"NoSchedule"}]}}
      """;
  private static final String SPREAD =
      """
      {"metadata":{"name":"spread-NUMBER","generation":1},"spec":{"topologySpreadConstraints":[
        {"maxSkew":1,"topologyKey":"topology.kubernetes.io/zone","whenUnsatisfiable":"ScheduleAnyway",
         "labelSelector":{"matchLabels":{"app":"${App}"}}}]}}
      """;

  private Reviews() {}

  static LiveCatalog catalog(int bindings) {
    LiveCatalog catalog = new LiveCatalog(OPERATOR_NAMESPACE);
    for (int i = 0; i < NAMESPACES; i++) {
      catalog.put(
          new NamespaceBuilder()
              .withNewMetadata()
              .withName("team-" + i)
              .withLabels(Map.of("kubernetes.io/metadata.name", "team-" + i, "tier", "t" + i % 5))
              .endMetadata()
              .build());
    }
    for (int i = 0; i < 20; i++) {
      catalog.put(read(POOL.replace("NUMBER", String.valueOf(i)), NodeSchedulerConfig.class));
      catalog.put(read(SPREAD.replace("NUMBER", String.valueOf(i)), PodSchedulerConfig.class));
    }
    for (int i = 0; i < 5; i++) {
      catalog.put(
          read(
              "{\"metadata\":{\"name\":\"policy-%d\",\"generation\":1},\"spec\":{}}".formatted(i),
              SchedulingPolicy.class));
    }
    for (int i = 0; i < bindings; i++) {
      catalog.put(i % 4 == 3 ? operatorBinding(i) : namespaceBinding(i));
    }
    return catalog;
  }

  /** Returns AdmissionReviews of pods, in a fixed order. */
  static List<byte[]> bodies() {
    List<byte[]> bodies = new ArrayList<>();
    for (int i = 0; i < PODS; i++) {
      bodies.add(body(i));
    }
    return bodies;
  }

  private static HasMetadata namespaceBinding(int i) {
    return read(
        """
        {"metadata":{"namespace":"team-%1$d","name":"binding-%2$d","uid":"uid-%2$d","generation":1,
          "creationTimestamp":"2026-01-01T00:00:00Z"},
         "spec":{"priority":%3$d,"podSelector":{"matchLabels":{"app":"app-%4$d"}},
          "nodeConfigs":[{"name":"pool-%5$d","args":{"Preferred":"A","Default":"B"}}],
          "podConfigs":[{"name":"spread-%5$d","args":{"App":"app-%4$d"}}],
          "schedulingPolicy":"policy-%6$d"}}
        """
            .formatted(i % NAMESPACES, i, i % 3, i % APPS, i % 20, i % 5),
        SchedulerConfigBinding.class);
  }

  private static HasMetadata operatorBinding(int i) {
    return read(
        """
        {"metadata":{"namespace":"%1$s","name":"binding-%2$d","uid":"uid-%2$d","generation":1,
          "creationTimestamp":"2026-01-01T00:00:00Z"},
         "spec":{"namespaceSelector":{"matchLabels":{"tier":"t%3$d"}},
          "podSelector":{"matchExpressions":[{"key":"app","operator":"NotIn","values":["app-%4$d"]}]},
          "rollout":{"percent":%5$d},
          "nodeConfigs":[{"name":"pool-%6$d","args":{"Preferred":"public","Default":"B"}}]}}
        """
            .formatted(OPERATOR_NAMESPACE, i, i % 5, i % APPS, 50 + i % 51, i % 20),
        SchedulerConfigBinding.class);
  }

  private static byte[] body(int i) {
    ObjectNode review = JSON.createObjectNode();
    review.put("apiVersion", "admission.k8s.io/v1").put("kind", "AdmissionReview");
    ObjectNode request = review.putObject("request");
    request.put("uid", "00000000-0000-0000-0000-" + String.format("%012d", i));
    request.putObject("kind").put("group", "").put("version", "v1").put("kind", "Pod");
    request.put("operation", "CREATE").put("namespace", "team-" + i % NAMESPACES);
    ObjectNode pod = request.putObject("object");
    pod.put("apiVersion", "v1").put("kind", "Pod");
    ObjectNode metadata = pod.putObject("metadata");
    metadata.put("generateName", "app-" + i % APPS + "-5d4f8c7b9-");
    metadata
        .putObject("labels")
        .put("app", "app-" + i % APPS)
        .put("pod-template-hash", "5d4f8c7b9")
        .put("version", "v" + i % 7);
    metadata
        .putArray("ownerReferences")
        .addObject()
        .put("apiVersion", "apps/v1")
        .put("kind", "ReplicaSet")
        .put("name", "app-" + i % APPS + "-5d4f8c7b9")
        .put("controller", true);
    if (i % 3 == 0) {
      metadata
          .putObject("annotations")
          .put(Annotations.NSC, "pool-" + i % 20)
          .put(Annotations.NSC_ARGS, "{\"Preferred\":\"A\",\"Default\":\"B\"}");
    }
    ObjectNode spec = pod.putObject("spec");
    spec.put("schedulerName", "default-scheduler").put("serviceAccountName", "default");
    for (int c = 0; c < 2; c++) {
      ObjectNode container = spec.withArray("containers").addObject();
      container.put("name", "main-" + c).put("image", "registry.example.com/app:" + i);
      container
          .putObject("resources")
          .putObject("requests")
          .put("cpu", "100m")
          .put("memory", "500Mi");
      for (int v = 0; v < 15; v++) {
        container
            .withArray("env")
            .addObject()
            .put("name", "SETTING_" + v)
            .put("value", "a value of the usual length, number " + v);
      }
    }
    return bytes(review);
  }

  private static <T> T read(String json, Class<T> type) {
    try {
      return JSON.readValue(json, type);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(json, e);
    }
  }

  private static byte[] bytes(JsonNode node) {
    try {
      return JSON.writeValueAsBytes(node);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a tree can always be written", e);
    }
  }
}
