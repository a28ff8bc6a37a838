package io.berth.demo.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.crds.SchedulingPolicy;
import io.berth.crds.SchedulingPolicySpec;
import io.berth.demo.cluster.BerthInstallation;
import io.berth.demo.cluster.Checkout;
import io.berth.demo.cluster.LocalCluster;
import io.berth.demo.story.PoolStory;
import io.berth.operator.BerthOptions;
import io.berth.operator.leader.LeaseTimes;
import io.berth.sandbox.Sandbox;
import io.berth.sandbox.kubelet.KubeletOptions;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/**
 * A comparison of the permissions in deploy/manifests/30-rbac.yaml with those that Berth uses in a
 * run that exercises everything that is on by default: every used permission is granted, and every
 * granted permission is used.
 */
class GrantedVerbsTest {
  private static final int NODES = 9;
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** Grants that this test does not exercise, with the situation in which each is used. */
  private static final Map<Grant, String> NOT_HERE =
      Map.ofEntries(
          Map.entry(new Grant("get", "", "pods"), "the answer to a Binding is lost"),
          Map.entry(read("nodeschedulerconfigs"), "a review names one while the watch is behind"),
          Map.entry(read("podschedulerconfigs"), "a review names one while the watch is behind"),
          Map.entry(read("schedulingpolicies"), "a review names one while the watch is behind"),
          Map.entry(new Grant("get", "", "nodes"), "another scheduler may have overfilled a node"),
          Map.entry(
              new Grant("create", "", "pods/eviction"), "another scheduler has overfilled a node"),
          Map.entry(new Grant("update", "", "configmaps"), "the authority is renewed"),
          Map.entry(
              new Grant("update", "", "secrets"), "two thirds of the certificate's life are over"),
          Map.entry(new Grant("list", "resource.k8s.io", "devicetaintrules"), "the kind is served"),
          Map.entry(
              new Grant("watch", "resource.k8s.io", "devicetaintrules"), "the kind is served"),
          Map.entry(new Grant("list", "scheduling.k8s.io", "podgroups"), "the kind is served"),
          Map.entry(new Grant("watch", "scheduling.k8s.io", "podgroups"), "the kind is served"),
          Map.entry(new Grant("get", "ray.io", "rayclusters"), "a RayCluster is a group"),
          Map.entry(
              new Grant("get", "sparkoperator.k8s.io", "sparkapplications"),
              "a SparkApplication is a group"),
          Map.entry(
              new Grant("patch", "scheduling.k8s.io", "podgroups/status"), "the kind is served"),
          Map.entry(claims("create", ""), "devices serve a pod's extended resources"),
          Map.entry(claims("delete", ""), "the same, and an earlier attempt has failed"),
          Map.entry(claims("get", ""), "a claim has changed since the watch showed it"),
          Map.entry(
              claims("patch", "/binding"), "Kubernetes checks it for writes of the claim's status"),
          Map.entry(new Grant("list", "scheduling.volcano.sh", "podgroups"), "the kind is served"),
          Map.entry(new Grant("watch", "scheduling.volcano.sh", "podgroups"), "the kind is served"),
          Map.entry(new Grant("list", "scheduling.x-k8s.io", "podgroups"), "the kind is served"),
          Map.entry(new Grant("watch", "scheduling.x-k8s.io", "podgroups"), "the kind is served"));

  private static final String CAST =
      """
      apiVersion: sched.cloud.ctrip.com/v1
      kind: SchedulingPolicy
      metadata: {name: everyday}
      spec: {default: true, priorities: [{name: MostAvailable, weight: 1}]}
      ---
      apiVersion: sched.cloud.ctrip.com/v1
      kind: PodSchedulerConfig
      metadata: {name: spread}
      spec:
        topologySpreadConstraints:
        - {maxSkew: 5, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: ScheduleAnyway}
      ---
      apiVersion: sched.cloud.ctrip.com/v1
      kind: SchedulingQueue
      metadata: {name: tenants}
      spec: {weight: 2}
      ---
      apiVersion: sched.cloud.ctrip.com/v1
      kind: SchedulerConfigBinding
      metadata: {name: spreading, namespace: default}
      spec:
        podSelector: {matchLabels: {app: spread}}
        podConfigs: [{name: spread}]
        schedulingPolicy: everyday
      ---
      apiVersion: sched.cloud.ctrip.com/v1
      kind: SchedulerConfigBinding
      metadata: {name: half, namespace: default}
      spec:
        podSelector: {matchLabels: {app: half}}
        schedulingPolicy: everyday
        rollout: {percent: 50}
      ---
      apiVersion: scheduling.k8s.io/v1
      kind: PriorityClass
      metadata: {name: urgent}
      value: 1000
      ---
      apiVersion: storage.k8s.io/v1
      kind: StorageClass
      metadata: {name: made-on-demand}
      provisioner: example.com/disks
      volumeBindingMode: WaitForFirstConsumer
      ---
      apiVersion: storage.k8s.io/v1
      kind: StorageClass
      metadata: {name: there-already}
      provisioner: kubernetes.io/no-provisioner
      volumeBindingMode: WaitForFirstConsumer
      ---
      apiVersion: resource.k8s.io/v1
      kind: DeviceClass
      metadata: {name: gpu}
      spec: {selectors: [{cel: {expression: device.driver == 'gpu.example.com'}}]}
      ---
      apiVersion: resource.k8s.io/v1
      kind: ResourceSlice
      metadata: {name: gpus}
      spec:
        driver: gpu.example.com
        allNodes: true
        pool: {name: gpus, generation: 1, resourceSliceCount: 1}
        devices: [{name: gpu-0}]
      ---
      apiVersion: resource.k8s.io/v1
      kind: ResourceClaimTemplate
      metadata: {name: one-gpu, namespace: default}
      spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}}}
      ---
      apiVersion: v1
      kind: PersistentVolume
      metadata: {name: disk}
      spec:
        accessModes: [ReadWriteOnce]
        capacity: {storage: 10Gi}
        storageClassName: there-already
        hostPath: {path: /disk}
      ---
      apiVersion: v1
      kind: PersistentVolumeClaim
      metadata: {name: made-on-demand, namespace: default}
      spec:
        accessModes: [ReadWriteOnce]
        resources: {requests: {storage: 1Gi}}
        storageClassName: made-on-demand
      ---
      apiVersion: v1
      kind: PersistentVolumeClaim
      metadata: {name: there-already, namespace: default}
      spec:
        accessModes: [ReadWriteOnce]
        resources: {requests: {storage: 1Gi}}
        storageClassName: there-already
      """;

  private static Grant read(String kind) {
    return new Grant("get", "sched.cloud.ctrip.com", kind);
  }

  private static Grant claims(String verb, String subresource) {
    return new Grant(verb, "resource.k8s.io", "resourceclaims" + subresource);
  }

  @Test
  void whatIsGranted_isWhatIsUsed() throws Exception {
    Checkout checkout = Checkout.find();
    try (LocalCluster cluster = LocalCluster.start(0, NODES, KubeletOptions.immediate());
        BerthInstallation berth =
            BerthInstallation.start(
                cluster.admin(),
                checkout,
                BerthOptions.local("access")
                    .withHttp(0, false)
                    .withLeaderElection(LeaseTimes.defaults()))) {
      new PoolStory(cluster.admin(), "default", true, checkout, berth::explain, chapter -> {})
          .tell();
      everythingElse(cluster.admin(), cluster.sandbox(), berth);
      Set<Grant> granted =
          Rights.granted(
              cluster.admin(),
              checkout.manifests().stream().filter(file -> file.endsWith("30-rbac.yaml")).toList());
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () ->
                  assertThat(Rights.minus(granted, Rights.used(cluster.sandbox())))
                      .as("granted and not used")
                      .isEqualTo(NOT_HERE.keySet()));
      assertThat(Rights.minus(Rights.used(cluster.sandbox()), granted))
          .as("used and not granted")
          .isEmpty();
    }
  }

  /** Exercises the features that the story does not. */
  private static void everythingElse(
      KubernetesClient admin, Sandbox sandbox, BerthInstallation berth) throws Exception {
    await().atMost(PATIENCE).untilAsserted(() -> admin.load(yaml(CAST)).serverSideApply());
    belongsToOwnersThatTheWatchDoesNotShow(admin);
    preempts(admin);
    bindsVolumes(admin);
    allocatesDevices(admin);
    refusesAgain(admin, sandbox);
    completesThreeRevisionsOfAPolicy(admin);
    assertThat(berth.explain("default", "urgent")).contains("node-public");
  }

  /** Two revisions are stored, so the first one is deleted. */
  private static void completesThreeRevisionsOfAPolicy(KubernetesClient admin) {
    SchedulingPolicy policy = new SchedulingPolicy();
    policy.setMetadata(new ObjectMetaBuilder().withName("changing").build());
    for (int percentage = 70; percentage <= 90; percentage += 10) {
      policy.setSpec(SchedulingPolicySpec.defaults().withPercentageOfNodesToScore(percentage));
      long generation = admin.resource(policy).serverSideApply().getMetadata().getGeneration();
      await()
          .atMost(PATIENCE)
          .until(
              () ->
                  admin.apps().controllerRevisions().inAnyNamespace().list().getItems().stream()
                      .anyMatch(
                          stored ->
                              stored.getMetadata().getName().startsWith("policy-changing")
                                  && stored.getRevision() == generation));
    }
  }

  private static void belongsToOwnersThatTheWatchDoesNotShow(KubernetesClient admin) {
    for (String[] owner : new String[][] {{"batch/v1", "Job"}, {"apps/v1", "ReplicaSet"}}) {
      admin
          .resource(
              new PodBuilder(pod("of-a-" + owner[1].toLowerCase(Locale.ROOT), "100m"))
                  .editMetadata()
                  .addToLabels("app", "half")
                  .addNewOwnerReference()
                  .withApiVersion(owner[0])
                  .withKind(owner[1])
                  .withName("gone")
                  .withUid("uid-of-" + owner[1])
                  .withController(true)
                  .endOwnerReference()
                  .endMetadata()
                  .build())
          .create();
    }
  }

  private static void preempts(KubernetesClient admin) {
    String node = publicNode(admin);
    admin.resource(on(node, pod("modest", "3"), "")).create();
    await().atMost(PATIENCE).until(() -> isBound(admin, "modest"));
    admin.resource(on(node, pod("urgent", "3"), "urgent")).create();
    await().atMost(PATIENCE).until(() -> isBound(admin, "urgent"));
  }

  private static void allocatesDevices(KubernetesClient admin) {
    admin
        .resource(
            new PodBuilder(pod("uses-a-device", "100m"))
                .editSpec()
                .addNewResourceClaim()
                .withName("gpu")
                .withResourceClaimTemplateName("one-gpu")
                .endResourceClaim()
                .endSpec()
                .build())
        .create();
    await().atMost(PATIENCE).until(() -> isBound(admin, "uses-a-device"));
  }

  private static void bindsVolumes(KubernetesClient admin) {
    for (String claim : List.of("made-on-demand", "there-already")) {
      admin
          .resource(
              new PodBuilder(pod("uses-" + claim, "100m"))
                  .editSpec()
                  .addNewVolume()
                  .withName("data")
                  .withNewPersistentVolumeClaim(claim, false)
                  .endVolume()
                  .endSpec()
                  .build())
          .create();
    }
  }

  /**
   * Makes Berth reject a pod for the same reason again, which becomes an event series, so the event
   * is patched.
   */
  private static void refusesAgain(KubernetesClient admin, Sandbox sandbox) {
    admin
        .resource(
            new PodBuilder(pod("too-large", "90000"))
                .editSpec()
                .addToNodeSelector("large", "true")
                .endSpec()
                .build())
        .create();
    String node = publicNode(admin);
    AtomicBoolean large = new AtomicBoolean();
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofSeconds(1))
        .until(
            () -> {
              large.set(!large.get());
              admin
                  .nodes()
                  .withName(node)
                  .edit(
                      before ->
                          new NodeBuilder(before)
                              .editMetadata()
                              .addToLabels("large", Boolean.toString(large.get()))
                              .endMetadata()
                              .build());
              return Rights.used(sandbox).contains(new Grant("patch", "events.k8s.io", "events"));
            });
  }

  private static Pod on(String node, Pod pod, String priorityClass) {
    return new PodBuilder(pod)
        .editSpec()
        .addToNodeSelector("kubernetes.io/hostname", node)
        .withPriorityClassName(priorityClass.isEmpty() ? null : priorityClass)
        .endSpec()
        .build();
  }

  private static Pod pod(String name, String cpu) {
    return new PodBuilder()
        .withNewMetadata()
        .withNamespace("default")
        .withName(name)
        .endMetadata()
        .withNewSpec()
        .withSchedulerName("berth")
        .addNewContainer()
        .withName("main")
        .withImage("busybox")
        .withNewResources()
        .addToRequests("cpu", new Quantity(cpu))
        .endResources()
        .endContainer()
        .endSpec()
        .build();
  }

  private static String publicNode(KubernetesClient admin) {
    return admin
        .nodes()
        .withLabel("cloud.ctrip.com/pool", "public")
        .list()
        .getItems()
        .getFirst()
        .getMetadata()
        .getName();
  }

  private static boolean isBound(KubernetesClient admin, String pod) {
    return admin.pods().inNamespace("default").withName(pod).get().getSpec().getNodeName() != null;
  }

  private static InputStream yaml(String text) {
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
  }
}
