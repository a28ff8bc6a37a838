package io.berth.webhook.admission;

import static io.berth.webhook.Resources.binding;
import static io.berth.webhook.Resources.policy;
import static io.berth.webhook.Resources.resource;
import static io.berth.webhook.Resources.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.webhook.admission.CatalogSource.UpToDateCatalog;
import io.berth.webhook.binding.LiveCatalog;
import io.berth.webhook.validation.ConfigValidator;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Changes by tenants to decisions of the platform. */
class HeldDecisionsTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String CREATED = "2026-01-01T00:00:00Z";
  private static final String TENANT = "jane";
  private static final String DAEMON_SET_CONTROLLER =
      "system:serviceaccount:kube-system:daemon-set-controller";
  private static final String POLICY = "sched.cloud.ctrip.com/policy";
  private static final String APPLIED = "sched.cloud.ctrip.com/applied";
  private static final String BY_BINDING =
      APPLIED + ": '{\"schedulingPolicy\":{\"by\":\"binding team-a/strict@1\"}}'";

  private final LiveCatalog catalog = new LiveCatalog("berth-system");
  private Optional<String> doubt = Optional.empty();
  private final AdmissionService service =
      new AdmissionService(
          (namespace, deciding) -> new UpToDateCatalog(catalog.get(), doubt),
          new PodMutator(ConfigLookup.nothing(), InstantSource.system()),
          new ConfigValidator((name, spec) -> List.of()),
          AdmissionObserver.none());

  @BeforeEach
  void decide() {
    catalog.put(policy("batch", CREATED, ""));
    catalog.put(policy("online", CREATED, ""));
    catalog.put(
        binding(
            "team-a",
            "strict",
            CREATED,
            "podSelector: {matchLabels: {app: spark}}, podOverrides: Deny,"
                + " schedulingPolicy: batch"));
  }

  private static String pod(String annotations) {
    return pod("{app: spark}", annotations);
  }

  private static String pod(String labels, String annotations) {
    return "{metadata: {name: p, labels: %s, annotations: {%s}}, spec: {schedulerName: berth}}"
        .formatted(labels, annotations);
  }

  private static String owned(String apiVersion) {
    return ("{metadata: {generateName: p-, labels: {app: spark}, ownerReferences: [{apiVersion: %s,"
            + " kind: DaemonSet, name: agent, uid: u, controller: true}]}, spec: {}}")
        .formatted(apiVersion);
  }

  private JsonNode update(String before, String after) throws Exception {
    return review("UPDATE", TENANT, Optional.of(before), after);
  }

  private JsonNode review(String operation, String username, Optional<String> before, String after)
      throws Exception {
    ObjectNode review = JsonNodeFactory.instance.objectNode();
    review.put("apiVersion", "admission.k8s.io/v1").put("kind", "AdmissionReview");
    ObjectNode request = review.putObject("request");
    request.put("uid", "uid-1").put("operation", operation).put("namespace", "team-a");
    request.putObject("kind").put("kind", "Pod");
    request.putObject("userInfo").put("username", username);
    request.set("object", yaml(after));
    before.ifPresent(object -> request.set("oldObject", yaml(object)));
    byte[] answer = service.review(AdmissionPath.MUTATE_PODS, JSON.writeValueAsBytes(review));
    return JSON.readTree(answer).path("response");
  }

  private static JsonNode patched(JsonNode response, String object) throws Exception {
    String patch = response.path("patch").asText("");
    return patch.isEmpty()
        ? yaml(object)
        : JsonPatch.apply(yaml(object), JSON.readTree(Base64.getDecoder().decode(patch)));
  }

  private static String annotation(JsonNode pod, String key) {
    return pod.path("metadata").path("annotations").path(key).asText("");
  }

  @Test
  void anotherPolicy_isPutBackWithAWarning() throws Exception {
    String after = pod(POLICY + ": online, " + BY_BINDING + ", note: mine");

    JsonNode response = update(pod(POLICY + ": batch, " + BY_BINDING), after);

    assertThat(response.path("allowed").asBoolean()).isTrue();
    assertThat(annotation(patched(response, after), POLICY)).isEqualTo("batch");
    assertThat(annotation(patched(response, after), "note")).isEqualTo("mine");
    assertThat(response.at("/warnings/0").asText())
        .startsWith("BERTH-1614")
        .contains("SchedulerConfigBinding team-a/strict, which has");
  }

  @Test
  void aPolicyThatIsTakenAway_isPutBack() throws Exception {
    String after = pod(BY_BINDING);

    assertThat(
            annotation(
                patched(update(pod(POLICY + ": batch, " + BY_BINDING), after), after), POLICY))
        .isEqualTo("batch");
  }

  @Test
  void labelsThatLeaveTheBinding_doNotFreeThePod() throws Exception {
    String before = pod("{app: other}", POLICY + ": batch, " + BY_BINDING);
    String after = pod("{app: other}", POLICY + ": online, " + BY_BINDING);

    assertThat(annotation(patched(update(before, after), after), POLICY)).isEqualTo("batch");
  }

  @Test
  void whatBerthSaysItApplied_isPutBackOrTakenAway() throws Exception {
    String forged = pod("{}", APPLIED + ": forged");

    assertThat(annotation(patched(update(pod("{}", ""), forged), forged), APPLIED)).isEmpty();
    assertThat(annotation(patched(update(pod(BY_BINDING), forged), forged), APPLIED))
        .contains("team-a/strict");
  }

  @Test
  void aPodThatNoBindingHolds_mayBeGivenAnotherPolicy() throws Exception {
    String after = pod("{app: other}", POLICY + ": online");

    JsonNode response = update(pod("{app: other}", POLICY + ": batch"), after);

    assertThat(response.has("patch")).isFalse();
    assertThat(response.has("warnings")).isFalse();
  }

  // ---------------------------------------------------------------------------------- groups

  private static final String GROUP = "sched.cloud.ctrip.com/group";
  private static final String GROUPED =
      GROUP + ": train, " + GROUP + "-min: \"8\", " + GROUP + "-topology: rack";
  private static final String GROUPED_BY_BINDING =
      GROUPED + ", " + APPLIED + ": '{\"group\":{\"by\":\"binding team-a/groups@1\"}}'";

  private void groupBinding(String podOverrides) {
    catalog.put(
        binding(
            "team-a",
            "groups",
            CREATED,
            "podSelector: {matchLabels: {app: mpi}}, podOverrides: %s, group: {from: Owner, min: 100%%}"
                .formatted(podOverrides)));
  }

  @Test
  void aGroupThatABindingDecides_isPutBackWithAWarningForEachAnnotation() throws Exception {
    groupBinding("Deny");
    String after =
        pod("{app: mpi}", GROUP + ": mine, " + GROUP + "-min: \"1\", " + GROUP + "-timeout: 1s");

    JsonNode response = update(pod("{app: mpi}", GROUPED), after);

    JsonNode held = patched(response, after);
    assertThat(annotation(held, GROUP)).isEqualTo("train");
    assertThat(annotation(held, GROUP + "-min")).isEqualTo("8");
    assertThat(annotation(held, GROUP + "-topology")).isEqualTo("rack");
    assertThat(annotation(held, GROUP + "-timeout")).isEmpty();
    assertThat(response.path("warnings")).hasSize(4);
    assertThat(response.at("/warnings/0").asText())
        .startsWith("BERTH-1614 at metadata.annotations[sched.cloud.ctrip.com/group]")
        .contains("SchedulerConfigBinding team-a/groups, which has");
  }

  @Test
  void noGroup_isADecisionToo() throws Exception {
    groupBinding("Deny");

    String removed = pod("{app: mpi}", "note: mine");
    JsonNode response = update(pod("{app: mpi}", GROUP + ": \"\""), removed);

    assertThat(patched(response, removed).at("/metadata/annotations").properties())
        .as("without it, the gang of another dialect would count")
        .anyMatch(entry -> entry.getKey().equals(GROUP) && entry.getValue().asText().isEmpty());
  }

  @Test
  void labelsThatLeaveTheBindingOfAGroup_doNotFreeThePod() throws Exception {
    groupBinding("Deny");
    String after = pod("{app: other}", GROUP + ": mine");

    assertThat(
            annotation(
                patched(update(pod("{app: other}", GROUPED_BY_BINDING), after), after), GROUP))
        .isEqualTo("train");
  }

  @Test
  void aGroupOfABindingThatAllowsOverrides_mayBeChanged() throws Exception {
    groupBinding("Allow");
    String after = pod("{app: mpi}", GROUP + ": mine");

    assertThat(update(pod("{app: mpi}", GROUPED), after).has("patch")).isFalse();
  }

  @Test
  void anUpdateThatLeavesTheGroupAlone_isLeftAlone() throws Exception {
    groupBinding("Deny");
    String after = pod("{app: mpi}", GROUPED + ", note: mine");

    JsonNode response = update(pod("{app: mpi}", GROUPED), after);

    assertThat(response.has("patch")).isFalse();
    assertThat(response.has("warnings")).isFalse();
  }

  @Test
  void aDaemonSet_isBelievedOfItsControllerAloneAndOfKubernetesOwnKind() throws Exception {
    String forged = owned("apps/v1");
    String foreign = owned("example.com/v1");

    assertThat(review("CREATE", DAEMON_SET_CONTROLLER, Optional.empty(), forged).has("patch"))
        .isFalse();
    assertThat(
            annotation(patched(review("CREATE", TENANT, Optional.empty(), forged), forged), POLICY))
        .isEqualTo("batch");
    assertThat(
            annotation(
                patched(
                    review("CREATE", DAEMON_SET_CONTROLLER, Optional.empty(), foreign), foreign),
                POLICY))
        .isEqualTo("batch");
  }

  @Test
  void anOwnerReferenceThatWasWrittenLater_doesNotFreeThePod() throws Exception {
    String owned =
        "{metadata: {name: p, labels: {app: spark}, annotations: {%s: %s}, ownerReferences:"
            + " [{apiVersion: apps/v1, kind: DaemonSet, name: agent, uid: u, controller: true}]},"
            + " spec: {schedulerName: berth}}";
    String after = owned.formatted(POLICY, "online");

    JsonNode response = update(owned.formatted(POLICY, "batch"), after);

    assertThat(annotation(patched(response, after), POLICY)).isEqualTo("batch");
  }

  @Test
  void aPodThatWasJudgedInDoubt_isMarkedAndWarned() throws Exception {
    doubt = Optional.of("the watch is behind");
    String pod = "{metadata: {name: p}, spec: {}}";

    JsonNode response = review("CREATE", TENANT, Optional.empty(), pod);

    assertThat(annotation(patched(response, pod), APPLIED)).isEqualTo("{\"inDoubt\":true}");
    assertThat(response.at("/warnings/0").asText()).startsWith("BERTH-1707");
  }

  @Test
  void aConfigThatIsBroken_doesNotTakeTheOthersWithIt() throws Exception {
    catalog.put(
        resource(
            "{kind: NodeSchedulerConfig, metadata: {name: c1, generation: 1}, spec: {tolerations:"
                + " [{key: \"${Oops\", operator: Exists}]}}"));
    catalog.put(
        resource(
            "{kind: NodeSchedulerConfig, metadata: {name: c2, generation: 1}, spec: {tolerations:"
                + " [{key: pool, operator: Exists}]}}"));
    String pod =
        "{metadata: {name: p, annotations: {scb.sched.cloud.ctrip.com/nsc: \"c1,c2\"}}, spec: {}}";

    JsonNode response = review("CREATE", TENANT, Optional.empty(), pod);

    assertThat(patched(response, pod).at("/spec/tolerations/0/key").asText()).isEqualTo("pool");
    assertThat(response.at("/warnings/0").asText()).startsWith("BERTH-1704");
  }
}
