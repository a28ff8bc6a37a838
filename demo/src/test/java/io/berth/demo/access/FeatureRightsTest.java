package io.berth.demo.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.crds.Annotations;
import io.berth.demo.cluster.BerthInstallation;
import io.berth.demo.cluster.Checkout;
import io.berth.demo.cluster.LocalCluster;
import io.berth.operator.BerthOptions;
import io.berth.operator.Feature;
import io.berth.operator.query.QueryApi;
import io.berth.sandbox.SandboxOptions;
import io.berth.sandbox.kubelet.KubeletOptions;
import io.berth.sandbox.release.KubernetesVersion;
import io.fabric8.kubernetes.api.model.APIService;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfiguration;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The rights of each feature in deploy/features: a run that exercises the feature uses all of them,
 * and nothing that neither they nor the rights of every installation grant.
 */
class FeatureRightsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);

  private static final String UNRENDERED =
      """
      apiVersion: sched.cloud.ctrip.com/v1
      kind: SchedulingPolicy
      metadata: {name: batch}
      spec: {}
      ---
      apiVersion: sched.cloud.ctrip.com/v1
      kind: SchedulerConfigBinding
      metadata: {namespace: default, name: spark}
      spec:
        podSelector: {matchLabels: {app: spark}}
        schedulingPolicy: batch
        repair: Recreate
      """;

  private static final String DEPLOYMENT =
      """
      apiVersion: apps/v1
      kind: Deployment
      metadata: {namespace: default, name: spark}
      spec:
        selector: {matchLabels: {app: spark}}
        template:
          metadata: {labels: {app: spark}}
          spec: {containers: [{name: main, image: busybox}]}
      """;

  private static final String GPU_POD =
      """
      apiVersion: sched.cloud.ctrip.com/v1
      kind: SchedulingPolicy
      metadata: {name: gpu}
      spec: {default: true}
      ---
      apiVersion: v1
      kind: Pod
      metadata: {namespace: default, name: gpu}
      spec:
        schedulerName: berth
        containers:
        - {name: main, image: busybox, resources: {limits: {nvidia.com/gpu: "1", nvidia.com/gpumem: "4096"}}}
      """;

  /** Pods of each kind of controller, and a pod alone. Bindings do not select DaemonSet pods. */
  private static final String PODS =
      """
      apiVersion: sched.cloud.ctrip.com/v1
      kind: NodeSchedulerConfig
      metadata: {name: pool}
      spec:
        nodeAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            nodeSelectorTerms:
            - matchExpressions: [{key: kubernetes.io/os, operator: NotIn, values: [none]}]
      ---
      """
          + controller("apps/v1", "ReplicaSet", "web", "selector: {matchLabels: {app: web}}")
          + controller("apps/v1", "StatefulSet", "db", "selector: {matchLabels: {app: db}}")
          + controller("v1", "ReplicationController", "old", "selector: {app: old}")
          + controller("batch/v1", "Job", "batch", "parallelism: 1")
              .replace("spec: {", "spec: {restartPolicy: Never, ")
          + controller("apps/v1", "DaemonSet", "agent", "selector: {matchLabels: {app: agent}}")
              .replace("labels:", "annotations: {%s: pool}, labels:".formatted(Annotations.NSC))
          + """
          apiVersion: v1
          kind: Pod
          metadata: {namespace: default, name: alone, labels: {app: alone}}
          spec: {schedulerName: berth, containers: [{name: main, image: busybox}]}
          """;

  private static String controller(String apiVersion, String kind, String name, String field) {
    return """
    apiVersion: %s
    kind: %s
    metadata: {namespace: default, name: %3$s}
    spec:
      %4$s
      template:
        metadata: {labels: {app: %3$s}}
        spec: {schedulerName: berth, containers: [{name: main, image: busybox}]}
    ---
    """
        .formatted(apiVersion, kind, name, field);
  }

  @ParameterizedTest
  @EnumSource(Feature.class)
  void featureUsesItsRights_andNoOthers(Feature feature) throws Exception {
    Checkout checkout = Checkout.find();
    SandboxOptions options =
        feature == Feature.LEGACY_BINDING
            ? SandboxOptions.defaults().withVersion(KubernetesVersion.parse("1.34").orElseThrow())
            : SandboxOptions.defaults();
    Feature[] on =
        feature == Feature.LEGACY_BINDING
            ? new Feature[] {Feature.LEGACY_BINDING, Feature.HAMI}
            : new Feature[] {feature};
    try (LocalCluster cluster = LocalCluster.start(options, 3, KubeletOptions.immediate());
        BerthInstallation berth =
            BerthInstallation.start(
                cluster.admin(), checkout, BerthOptions.local("access").withFeatures(on))) {
      KubernetesClient admin = cluster.admin();
      assertThat(berth.berth().isLeading()).isTrue();
      switch (feature) {
        case HAMI, LEGACY_BINDING -> placesAPodOnANodeOfHami(admin);
        case OTHER_QUEUES -> readsQueuesOfOthers(admin);
        case QUERY_API -> {
          berth.leadQueriesHere(admin);
          readsAndWritesItsRegistration(admin);
          readsWhatPodsWereCreatedFrom(admin);
        }
        case REPAIR -> recreatesAPod(admin);
        case WEBHOOK_RESTORE -> restoresItsConfigurations(admin);
      }

      List<Path> files = new ArrayList<>();
      for (Feature each : on) {
        files.add(checkout.feature(each));
      }
      Set<Grant> ofFeature = Rights.granted(admin, List.of(checkout.feature(feature)));
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () ->
                  assertThat(Rights.minus(ofFeature, Rights.used(cluster.sandbox())))
                      .as("granted for %s and not used", feature.label())
                      .isEmpty());
      checkout.manifests().stream()
          .filter(file -> file.endsWith("30-rbac.yaml"))
          .forEach(files::add);
      assertThat(Rights.minus(Rights.used(cluster.sandbox()), Rights.granted(admin, files)))
          .as("used and not granted")
          .isEmpty();
    }
  }

  /** Defines the kinds; that their queues count is shown by {@code OtherQueuesServingTest}. */
  private static void readsQueuesOfOthers(KubernetesClient admin) {
    define(admin, "scheduling.volcano.sh", "v1beta1", "Queue", "Cluster");
    define(admin, "scheduling.run.ai", "v2", "Queue", "Cluster");
    define(admin, "scheduling.x-k8s.io", "v1alpha1", "ElasticQuota", "Namespaced");
    define(admin, "scheduling.sigs.k8s.io", "v1alpha1", "ElasticQuota", "Namespaced");
  }

  private static void define(
      KubernetesClient admin, String group, String version, String kind, String scope) {
    String plural = kind.toLowerCase(Locale.ROOT) + "s";
    apply(
        admin,
        """
        apiVersion: apiextensions.k8s.io/v1
        kind: CustomResourceDefinition
        metadata: {name: %2$s.%1$s}
        spec:
          group: %1$s
          names: {kind: %4$s, plural: %2$s}
          scope: %5$s
          versions:
          - name: %3$s
            served: true
            storage: true
            schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
        """
            .formatted(group, plural, version, kind, scope));
  }

  private static void readsAndWritesItsRegistration(KubernetesClient admin) {
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                admin
                        .resources(APIService.class)
                        .withName(QueryApi.API_SERVICE)
                        .get()
                        .getSpec()
                        .getCaBundle()
                    != null);
  }

  /** Reviews a binding and a config that concern these pods, so that their templates are read. */
  private static void readsWhatPodsWereCreatedFrom(KubernetesClient admin) {
    apply(admin, PODS);
    awaitReviewOf(
        admin,
        5,
        """
        {"schedulerConfigBinding": {"namespace": "default", "name": "all",
          "spec": {"podSelector": {}, "nodeConfigs": [{"name": "pool"}]}}}
        """);
    awaitReviewOf(admin, 3, "{\"nodeSchedulerConfig\": {\"name\": \"pool\", \"spec\": {}}}");
  }

  /** Waits until a review concerns this many pods. */
  private static void awaitReviewOf(KubernetesClient admin, int pods, String change) {
    String review =
        """
        {"apiVersion": "%s", "kind": "PolicyReview", "spec": %s}
        """
            .formatted(QueryApi.API_VERSION, change);
    await()
        .atMost(PATIENCE)
        .ignoreExceptions() // until the API is available
        .untilAsserted(
            () ->
                assertThat(
                        new ObjectMapper()
                            .readTree(
                                admin.raw(
                                    "/apis/" + QueryApi.API_VERSION + "/policyreviews",
                                    "POST",
                                    review))
                            .at("/status/pods")
                            .asInt())
                    .isEqualTo(pods));
  }

  private static void placesAPodOnANodeOfHami(KubernetesClient admin) {
    admin
        .nodes()
        .withName("node-public-0")
        .patch(
            MERGE,
            """
            {"metadata": {"annotations": {"hami.io/node-nvidia-register":
              "[{\\"id\\":\\"GPU-a\\",\\"count\\":10,\\"devmem\\":16384,\\"devcore\\":100,\\"type\\":\\"NVIDIA-T4\\",\\"health\\":true}]"}}}
            """);
    admin
        .nodes()
        .withName("node-public-0")
        .subresource("status")
        .patch(
            MERGE,
            """
            {"status": {"capacity": {"nvidia.com/gpu": "10"}, "allocatable": {"nvidia.com/gpu": "10"}}}
            """);
    apply(admin, GPU_POD);
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                admin.pods().inNamespace("default").withName("gpu").get().getSpec().getNodeName()
                    != null);
  }

  private static void recreatesAPod(KubernetesClient admin) {
    apply(admin, UNRENDERED);
    Instant applied = Instant.now();
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                admin
                        .resource(UNRENDERED.substring(UNRENDERED.indexOf("---\n") + 4))
                        .get()
                        .toString()
                        .contains("InUse")
                    && Instant.now().isAfter(applied.plusSeconds(1)));
    MutatingWebhookConfiguration webhook =
        admin.resources(MutatingWebhookConfiguration.class).withName("berth").get();
    admin.resource(webhook).delete();
    apply(admin, DEPLOYMENT);
    String uid =
        await()
            .atMost(PATIENCE)
            .until(
                () ->
                    admin.pods().inNamespace("default").withLabel("app", "spark").list().getItems(),
                pods -> pods.size() == 1)
            .getFirst()
            .getMetadata()
            .getUid();
    webhook.getMetadata().setResourceVersion(null);
    webhook.getMetadata().setUid(null);
    admin.resource(webhook).create();
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                admin
                    .pods()
                    .inNamespace("default")
                    .withLabel("app", "spark")
                    .list()
                    .getItems()
                    .stream()
                    .noneMatch(pod -> pod.getMetadata().getUid().equals(uid)));
  }

  private static void restoresItsConfigurations(KubernetesClient admin) {
    admin.resources(MutatingWebhookConfiguration.class).withName("berth").delete();
    admin.resources(ValidatingWebhookConfiguration.class).withName("berth").delete();
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                admin.resources(MutatingWebhookConfiguration.class).withName("berth").get() != null
                    && admin.resources(ValidatingWebhookConfiguration.class).withName("berth").get()
                        != null);
  }

  private static void apply(KubernetesClient admin, String yaml) {
    admin.load(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8))).serverSideApply();
  }
}
