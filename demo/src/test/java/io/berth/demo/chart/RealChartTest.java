package io.berth.demo.chart;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.demo.cluster.Checkout;
import io.berth.demo.cluster.Guest;
import io.berth.demo.cluster.Manifests;
import io.berth.demo.cluster.RealApiServer;
import io.berth.demo.ground.OnRealApiServer;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.http.Interceptor;
import java.io.ByteArrayInputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Installation of the chart's objects on a real API server, and upgrades with other values. */
@OnRealApiServer
class RealChartTest {

  private static final List<String> VALUES =
      List.of(
          "{namespace: {create: true}}",
          """
          namespace: {create: true}
          replicas: 1
          clusterSize: small
          flowControl: {enabled: false}
          networkPolicy: {enabled: false}
          """,
          """
          namespace: {create: true}
          replicas: 3
          clusterSize: large
          schedulerNames: [berth, volcano]
          alerts: {enabled: true}
          dashboard: {enabled: true}
          serviceMonitor:
            enabled: true
            prometheusServiceAccount: {name: prometheus, namespace: monitoring}
          tracing: {endpoint: "http://collector:4318", sampleRatio: 0.001}
          extenderSecrets: [licenses]
          networkPolicy:
            webhookFrom: [{ipBlock: {cidr: 10.0.0.0/8}}]
            metricsFrom: [{namespaceSelector: {}}]
          nodeSelector: {a: b}
          tolerations: [{operator: Exists}]
          imagePullSecrets: [{name: registry}]
          image: {digest: "sha256:0000000000000000000000000000000000000000000000000000000000000000"}
          """);

  /** The kinds of the Prometheus operator that the chart can render. */
  private static final Set<String> MONITORING = Set.of("ServiceMonitor", "PrometheusRule");

  private final List<String> warnings = new CopyOnWriteArrayList<>();

  private KubernetesClient listening(KubernetesClient admin) {
    Interceptor hearing =
        new Interceptor() {
          @Override
          public void after(
              HttpRequest request,
              HttpResponse<?> response,
              AsyncBody.Consumer<List<ByteBuffer>> consumer) {
            response
                .headers("Warning")
                .forEach(warning -> warnings.add(request.uri().getPath() + ": " + warning));
          }
        };
    return new KubernetesClientBuilder()
        .withConfig(admin.getConfiguration())
        .withHttpClientBuilderConsumer(
            builder -> builder.addOrReplaceInterceptor("warnings", hearing))
        .build();
  }

  @Test
  void everyObject_isAccepted_withoutAWarning_andASecondTimeChangesNothing() throws Exception {
    Checkout checkout = Checkout.find();
    Map<String, HasMetadata> installed = new LinkedHashMap<>();
    try (RealApiServer server = RealApiServer.open();
        KubernetesClient client = listening(server.admin())) {
      new Guest(server.admin(), checkout).refuseInstalled("the chart");
      Manifests manifests = new Manifests(client);
      try {
        for (String kind : MONITORING) {
          HasMetadata definition = manifests.apply(definition(client, kind));
          installed.put(kind, definition);
        }
        for (String values : VALUES) {
          for (HasMetadata object : objects(client, checkout, values)) {
            if (object.getKind().equals("Namespace")) {
              installed.put("Namespace", manifests.apply(object));
            } else {
              manifests.applyDry(object);
            }
          }
          for (HasMetadata object : objects(client, checkout, values)) {
            HasMetadata applied = manifests.apply(object);
            installed.put(object.getKind() + "/" + object.getMetadata().getName(), applied);
            assertThat(version(manifests.apply(object)))
                .as("%s %s, applied again", object.getKind(), object.getMetadata().getName())
                .isEqualTo(version(applied));
          }
        }
      } finally {
        installed.values().stream()
            .toList()
            .reversed()
            .forEach(object -> server.admin().resource(object).delete());
      }
    }
    assertThat(installed).hasSizeGreaterThan(25);
    assertThat(warnings).isEmpty();
  }

  /**
   * Returns the generation if there is one, because it does not change when the API server writes a
   * status.
   */
  private static String version(HasMetadata object) {
    Long generation = object.getMetadata().getGeneration();
    return generation == null
        ? object.getMetadata().getResourceVersion()
        : "generation " + generation;
  }

  /** Returns the rendered objects without hooks, which Helm creates only for {@code helm test}. */
  private static List<HasMetadata> objects(
      KubernetesClient client, Checkout checkout, String values) {
    return load(client, new Chart(checkout.root()).render(values)).stream()
        .filter(object -> !annotations(object).containsKey("helm.sh/hook"))
        .toList();
  }

  private static Map<String, String> annotations(HasMetadata object) {
    Map<String, String> annotations = object.getMetadata().getAnnotations();
    return annotations == null ? Map.of() : annotations;
  }

  private static HasMetadata definition(KubernetesClient client, String kind) {
    return load(
            client,
            """
            apiVersion: apiextensions.k8s.io/v1
            kind: CustomResourceDefinition
            metadata: {name: %1$ss.monitoring.coreos.com}
            spec:
              group: monitoring.coreos.com
              scope: Namespaced
              names: {kind: %2$s, plural: %1$ss, singular: %1$s}
              versions:
              - name: v1
                served: true
                storage: true
                schema:
                  openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}
            """
                .formatted(kind.toLowerCase(Locale.ROOT), kind))
        .getFirst();
  }

  private static List<HasMetadata> load(KubernetesClient client, String yaml) {
    return client.load(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8))).items();
  }
}
