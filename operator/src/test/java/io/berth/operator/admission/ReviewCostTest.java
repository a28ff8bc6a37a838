package io.berth.operator.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.operator.feed.ClusterFeed;
import io.berth.operator.feed.WatchTimes;
import io.berth.operator.owner.RootOwners;
import io.berth.operator.record.BerthMetrics;
import io.berth.sandbox.Sandbox;
import io.berth.sandbox.SandboxOptions;
import io.berth.webhook.admission.AdmissionPath;
import io.berth.webhook.admission.AdmissionService;
import io.berth.webhook.admission.BadReviewException;
import io.berth.webhook.admission.CatalogSource;
import io.berth.webhook.admission.PodMutator;
import io.berth.webhook.binding.LiveCatalog;
import io.berth.webhook.binding.LookupAllowance;
import io.berth.webhook.binding.PolicyServing;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The most requests to the API server that the review of one pod causes, as docs/scaling.md says.
 */
class ReviewCostTest {
  private static final Path MANIFESTS = Path.of("..", "deploy", "manifests");
  private static final String OPERATOR = "berth-system";
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final ObjectMapper JSON = new ObjectMapper();

  /** The lists, the owner, the size of its group, and the quotas. */
  private static final int WORST_CASE = 10;

  /** The names in the annotations of one pod. */
  private static final int NAMES = 33;

  /** A binding that needs all there is to know about a pod, and a policy that guards a class. */
  private static final String CONFIGURATION =
      """
      apiVersion: sched.cloud.ctrip.com/v1
      kind: SchedulingPolicy
      metadata: {name: guard}
      spec:
        allowedNamespaces: {selector: {matchLabels: {tier: gold}}}
        quotaGuard: {priorityClasses: [guarded]}
      ---
      apiVersion: sched.cloud.ctrip.com/v1
      kind: SchedulerConfigBinding
      metadata: {name: half, namespace: team}
      spec: {group: {from: Owner}, rollout: {percent: 100}}
      ---
      apiVersion: sched.cloud.ctrip.com/v1
      kind: SchedulerConfigBinding
      metadata: {name: part, namespace: team}
      spec: {group: {from: Owner}, rollout: {percent: 50}}
      """;

  private static Sandbox sandbox;
  private static KubernetesClient client;
  private static ClusterFeed feed;
  private static LiveCatalog catalog;

  @BeforeAll
  static void start() throws Exception {
    sandbox = Sandbox.start(SandboxOptions.defaults());
    client =
        new KubernetesClientBuilder()
            .withConfig(Config.fromKubeconfig(sandbox.kubeconfig()))
            .build();
    for (String file : List.of("00-crds.yaml", "10-namespace.yaml")) {
      try (InputStream yaml = Files.newInputStream(MANIFESTS.resolve(file))) {
        client.load(yaml).serverSideApply();
      }
    }
    client.resource("apiVersion: v1\nkind: Namespace\nmetadata: {name: team}").create();
    for (String object : CONFIGURATION.split("---\n")) {
      client.resource(object).create();
    }
    feed = new ClusterFeed(client, OPERATOR, WatchTimes.defaults(), failure -> {});
    feed.start().get(20, TimeUnit.SECONDS);
    catalog = new LiveCatalog(OPERATOR, RootOwners.of(client, feed), PolicyServing.always());
    WebhookEndpoint.follow(feed, catalog);
    await().atMost(SOON).until(() -> catalog.get().bindingKeys().size() == 2);
  }

  @AfterAll
  static void stop() {
    feed.close();
    client.close();
    sandbox.close();
  }

  private static AdmissionService upToDate() {
    ConfigReading reading =
        new ConfigReading(client, OPERATOR, () -> ConfigReading.Sizes.of(catalog.get()), true);
    return service(new CaughtUpCatalog(catalog, reading::read, new BerthMetrics(List.of("berth"))));
  }

  private static AdmissionService inDoubt() {
    return service(
        (namespace, deciding) ->
            new CatalogSource.UpToDateCatalog(catalog.get(), Optional.of("for this test")));
  }

  private static AdmissionService service(CatalogSource source) {
    return new AdmissionService(
        source,
        new PodMutator(new ReadThroughLookup(client), InstantSource.system()),
        WebhookEndpoint.validator(),
        new WebhookMetrics(new BerthMetrics(List.of("berth"))));
  }

  private static JsonNode review(AdmissionService service, String pod, LookupAllowance allowance)
      throws Exception {
    return review(service, "team", pod, allowance);
  }

  private static JsonNode review(
      AdmissionService service, String namespace, String pod, LookupAllowance allowance)
      throws Exception {
    String names =
        IntStream.range(0, 16).mapToObj(i -> pod + "-" + i).collect(Collectors.joining(","));
    String request =
        """
        {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
          "uid": "1", "operation": "CREATE", "kind": {"kind": "Pod"}, "namespace": "%1$s",
          "object": {
            "metadata": {
              "name": "%2$s",
              "annotations": {
                "scb.sched.cloud.ctrip.com/nsc": "%3$s",
                "scb.sched.cloud.ctrip.com/psc": "%3$s",
                "sched.cloud.ctrip.com/policy": "%2$s"},
              "ownerReferences": [{
                "apiVersion": "batch/v1", "kind": "Job", "name": "%2$s", "uid": "%2$s",
                "controller": true}]},
            "spec": {"priorityClassName": "guarded", "containers": []}}}}
        """
            .formatted(namespace, pod, names);
    return JSON.readTree(
            LookupAllowance.within(
                allowance,
                () ->
                    service.review(
                        AdmissionPath.MUTATE_PODS, request.getBytes(StandardCharsets.UTF_8))))
        .path("response");
  }

  /** Returns the requests since an earlier count, by verb and resource; watches are not counted. */
  private static Map<String, Long> requestsSince(Map<String, Long> before) {
    return requests().entrySet().stream()
        .filter(use -> use.getValue() > before.getOrDefault(use.getKey(), 0L))
        .collect(
            Collectors.toMap(
                Map.Entry::getKey, use -> use.getValue() - before.getOrDefault(use.getKey(), 0L)));
  }

  private static Map<String, Long> requests() {
    return sandbox.apiUsage().entrySet().stream()
        .filter(use -> !use.getKey().verb().equals("watch"))
        .collect(
            Collectors.groupingBy(
                use -> use.getKey().verb() + " " + use.getKey().resource(),
                Collectors.summingLong(Map.Entry::getValue)));
  }

  private static long sum(Map<String, Long> requests) {
    return requests.values().stream().mapToLong(Long::longValue).sum();
  }

  @Test
  void reviewWithUpToDateConfiguration_costsItsLists_andNoRequestForAnyName() throws Exception {
    Map<String, Long> before = requests();

    JsonNode response = review(upToDate(), "costly", LookupAllowance.unlimited());

    assertThat(response.path("allowed").asBoolean(true)).isFalse();
    Map<String, Long> caused = requestsSince(before);
    assertThat(caused)
        .containsOnlyKeys(
            "list nodeschedulerconfigs",
            "list podschedulerconfigs",
            "list schedulingpolicies",
            "list configmaps",
            "list schedulerconfigbindings",
            "list namespaces",
            "get jobs",
            "list resourcequotas");
    assertThat(sum(caused)).isLessThanOrEqualTo(WORST_CASE);
  }

  @Test
  void reviewInDoubt_asksForEachNameOnce_andNotAgainWithinASecond() throws Exception {
    AdmissionService service = inDoubt();
    Map<String, Long> before = requests();

    review(service, "doubtful", LookupAllowance.unlimited());
    Map<String, Long> first = requestsSince(before);
    before = requests();
    long began = System.nanoTime();
    review(service, "doubtful", LookupAllowance.unlimited());

    assertThat(first)
        .containsEntry("get nodeschedulerconfigs", 16L)
        .containsEntry("get podschedulerconfigs", 16L)
        .containsEntry("get schedulingpolicies", 1L);
    assertThat(sum(first)).isLessThanOrEqualTo(NAMES + WORST_CASE);
    if (System.nanoTime() - began < TimeUnit.MILLISECONDS.toNanos(500)) {
      assertThat(requestsSince(before)).as("names that were absent a moment ago").isEmpty();
    }
  }

  @Test
  void addressWithoutAllowance_causesNoLookUp_andItsPodsAreAdmitted() throws Exception {
    Map<String, Long> before = requests();

    JsonNode response = review(inDoubt(), "stopped", () -> false);

    assertThat(requestsSince(before)).isEmpty();
    assertThat(response.path("allowed").asBoolean()).isTrue();
    assertThat(response.path("warnings").toString())
        .contains("BERTH-1705")
        .contains("has used up its share of look-ups");
  }

  @Test
  void namespaceThatIsNoName_neverGetsIntoThePathOfARequest() {
    Map<String, Long> before = requests();

    for (String namespace : List.of("..", "team/../../../apis", "team?limit=1", "Team", "a b")) {
      assertThatThrownBy(() -> review(upToDate(), namespace, "p", LookupAllowance.unlimited()))
          .as(namespace)
          .isInstanceOf(BadReviewException.class);
    }
    assertThat(requestsSince(before)).isEmpty();
  }
}
