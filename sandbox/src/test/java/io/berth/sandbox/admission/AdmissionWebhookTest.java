package io.berth.sandbox.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.Sandbox;
import io.berth.sandbox.SandboxOptions;
import io.berth.sandbox.auth.Caller;
import io.berth.sandbox.failure.ApiException;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.rest.DeleteOptions;
import io.berth.sandbox.rest.WriteOptions;
import io.berth.sandbox.store.Json;
import io.berth.sandbox.store.StoredObject;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Admission webhooks called over HTTPS, with the rules and messages of the API server. */
class AdmissionWebhookTest {
  private final Sandbox sandbox = Sandbox.start(SandboxOptions.defaults());
  private final List<JsonNode> asked = new ArrayList<>();
  private final List<String> warnings = new ArrayList<>();
  private ReviewServer server;
  private UnaryOperator<JsonNode> answer = review -> allow();

  @BeforeEach
  void serve() throws Exception {
    server =
        ReviewServer.start(
            review -> {
              asked.add(review);
              return answer.apply(review);
            });
  }

  @AfterEach
  void stop() {
    server.close();
    sandbox.close();
  }

  @Test
  void mutatingWebhook_changesThePod_andWarns() {
    configure("MutatingWebhookConfiguration", "pods", "");
    answer =
        review -> {
          ObjectNode response = allow();
          response.putArray("warnings").add("mind the gap");
          return patched(response, "add", "/metadata/labels", Json.object().put("by", "hook"));
        };

    StoredObject pod = create(pod("a"), false);

    assertThat(pod.labels()).containsEntry("by", "hook");
    assertThat(warnings).containsExactly("mind the gap");
    JsonNode review = asked.getFirst();
    assertThat(review.path("operation").asText()).isEqualTo("CREATE");
    assertThat(review.at("/resource/resource").asText()).isEqualTo("pods");
    assertThat(review.at("/object/spec/schedulerName").asText()).isEqualTo("default-scheduler");
    assertThat(review.at("/userInfo/username").asText()).isEqualTo("system:test");
  }

  @Test
  void matchLabelKeysOfAWebhook_becomePartOfTheSelector() {
    configure("MutatingWebhookConfiguration", "pods", "");
    ObjectNode labels = Json.object().put("app", "web").put("rev", "7");
    answer = review -> patched(allow(), "add", "/spec/topologySpreadConstraints", constraints());
    ObjectNode pod = pod("a");
    pod.withObject("metadata").set("labels", labels);

    JsonNode stored = create(pod, false).json();

    assertThat(stored.at("/spec/topologySpreadConstraints/0/labelSelector/matchExpressions"))
        .hasToString(
            "[{\"key\":\"app\",\"operator\":\"Exists\"},"
                + "{\"key\":\"rev\",\"operator\":\"In\",\"values\":[\"7\"]}]");
  }

  private static ArrayNode constraints() {
    ArrayNode constraints = Json.object().putArray("constraints");
    ObjectNode constraint = constraints.addObject();
    constraint
        .put("maxSkew", 1)
        .put("topologyKey", "zone")
        .put("whenUnsatisfiable", "DoNotSchedule");
    constraint.putArray("matchLabelKeys").add("rev").add("missing");
    constraint
        .putObject("labelSelector")
        .putArray("matchExpressions")
        .addObject()
        .put("key", "app")
        .put("operator", "Exists");
    return constraints;
  }

  @Test
  void denial_carriesTheWebhooksNameWordsAndCode() {
    configure("ValidatingWebhookConfiguration", "pods", "");
    answer =
        review -> {
          ObjectNode response = Json.object().put("allowed", false);
          response.putObject("status").put("code", 422).put("message", "no such parameter");
          return response;
        };

    assertThatThrownBy(() -> create(pod("a"), false))
        .hasMessage("admission webhook \"hook.example.com\" denied the request: no such parameter")
        .isInstanceOfSatisfying(ApiException.class, e -> assertThat(e.code()).isEqualTo(422));
  }

  @Test
  void unreachableWebhook_failsTheRequest_orIsIgnored() {
    server.close();
    configure("ValidatingWebhookConfiguration", "pods", "");

    assertThatThrownBy(() -> create(pod("a"), false))
        .hasMessageStartingWith(
            "Internal error occurred: failed calling webhook \"hook.example.com\": failed to call"
                + " webhook: Post \"https://127.0.0.1:")
        .isInstanceOfSatisfying(ApiException.class, e -> assertThat(e.code()).isEqualTo(500));
    remove("ValidatingWebhookConfiguration");
    configure("ValidatingWebhookConfiguration", "pods", "failurePolicy=Ignore");
    assertThat(create(pod("a"), false).key().name()).isEqualTo("a");
  }

  @Test
  void certificateOfAnotherAuthority_isNotTrusted() {
    configure("ValidatingWebhookConfiguration", "pods", "caBundle=" + sandboxAuthority());

    assertThatThrownBy(() -> create(pod("a"), false))
        .hasMessageContaining("failed calling webhook \"hook.example.com\"");
    assertThat(asked).isEmpty();
  }

  @Test
  void matchConditions_andSelectors_keepRequestsAway() {
    configure("ValidatingWebhookConfiguration", "pods", "condition=object.metadata.name != 'a'");
    create(pod("a"), false);
    assertThat(asked).isEmpty();
    create(pod("b"), false);
    assertThat(asked).hasSize(1);

    remove("ValidatingWebhookConfiguration");
    configure("ValidatingWebhookConfiguration", "pods", "selector=team");
    create(pod("c"), false);
    assertThat(asked).hasSize(1);
  }

  @Test
  void service_isReachedAtItsEndpoints_underItsOwnName() {
    configure("ValidatingWebhookConfiguration", "pods", "service=hook");
    assertThatThrownBy(() -> create(pod("a"), false))
        .hasMessageContaining("failed calling webhook \"hook.example.com\"");

    ObjectNode endpoints = Json.object().put("apiVersion", "v1").put("kind", "Endpoints");
    endpoints.putObject("metadata").put("name", "hook").put("namespace", "default");
    ObjectNode subset = endpoints.putArray("subsets").addObject();
    subset.putArray("addresses").addObject().put("ip", "127.0.0.1");
    subset.putArray("ports").addObject().put("port", server.port());
    create(endpoints, false);

    assertThat(create(pod("a"), false).key().name()).isEqualTo("a");
    assertThat(asked).hasSize(1);
  }

  @Test
  void webhook_isAskedAgain_whereALaterOneChangesTheObject() {
    configure("MutatingWebhookConfiguration", "pods", "reinvoked=later.example.com");
    answer =
        review ->
            asked.size() == 2
                ? patched(allow(), "add", "/metadata/labels", Json.object().put("by", "later"))
                : allow();

    create(pod("a"), false);

    assertThat(asked).hasSize(3);
    assertThat(asked.get(1).at("/object/metadata/labels").isMissingNode()).isTrue();
    assertThat(asked.get(2).at("/object/metadata/labels/by").asText()).isEqualTo("later");
  }

  @Test
  void dryRun_isPassedOn_andStoresNothing() {
    configure("ValidatingWebhookConfiguration", "pods", "sideEffects=NoneOnDryRun");

    StoredObject dry = create(pod("a"), true);

    assertThat(asked.getFirst().path("dryRun").asBoolean()).isTrue();
    assertThat(sandbox.api().store().get(type(pod("a")).storage(), dry.key())).isEmpty();
  }

  @Test
  void unknownPriorityClass_isRefused_andKnownOnesAreResolved() {
    ObjectNode unknown = pod("a");
    unknown.withObject("spec").put("priorityClassName", "gold");
    assertThatThrownBy(() -> create(unknown, false))
        .hasMessage("pods \"a\" is forbidden: no PriorityClass with name gold was found");

    ObjectNode critical = pod("b");
    critical.withObject("spec").put("priorityClassName", "system-node-critical");
    assertThat(create(critical, false).json().at("/spec/priority").asInt())
        .isEqualTo(2_000_001_000);
  }

  private String sandboxAuthority() {
    return Base64.getEncoder()
        .encodeToString(sandbox.certificateAuthority().getBytes(StandardCharsets.US_ASCII));
  }

  private static ObjectNode allow() {
    return Json.object().put("allowed", true);
  }

  private static ObjectNode patched(ObjectNode response, String op, String path, JsonNode value) {
    ArrayNode patch = Json.MAPPER.createArrayNode();
    patch.addObject().put("op", op).put("path", path).set("value", value);
    return response
        .put("patchType", "JSONPatch")
        .put("patch", Base64.getEncoder().encodeToString(Json.write(patch)));
  }

  private static ObjectNode pod(String name) {
    ObjectNode pod = Json.object();
    pod.put("apiVersion", "v1").put("kind", "Pod");
    pod.putObject("metadata").put("name", name).put("namespace", "default");
    pod.putObject("spec").putArray("containers").addObject().put("name", "c").put("image", "c:1");
    return pod;
  }

  private StoredObject create(ObjectNode object, boolean dryRun) {
    WriteOptions options =
        new WriteOptions(
            "test", dryRun, WriteOptions.FieldValidation.STRICT, false, List::of, warnings::add);
    return sandbox.api().create(tester(), type(object), "default", object, options);
  }

  private ResourceType type(ObjectNode object) {
    return sandbox
        .api()
        .registry()
        .ofKind(object.path("apiVersion").asText(), object.path("kind").asText())
        .orElseThrow();
  }

  private static Caller tester() {
    return Caller.controlPlane("test");
  }

  /** Configures a webhook for creates of a resource. {@code extra} is a single key=value. */
  private void configure(String kind, String resource, String extra) {
    String value = extra.substring(extra.indexOf('=') + 1);
    ObjectNode configuration = Json.object();
    configuration.put("apiVersion", "admissionregistration.k8s.io/v1").put("kind", kind);
    configuration.putObject("metadata").put("name", "hooks");
    ObjectNode webhook = configuration.putArray("webhooks").addObject();
    webhook.put("name", "hook.example.com").put("sideEffects", "None");
    webhook.putArray("admissionReviewVersions").add("v1");
    ObjectNode rule = webhook.putArray("rules").addObject();
    rule.putArray("apiGroups").add("");
    rule.putArray("apiVersions").add("v1");
    rule.putArray("operations").add("CREATE");
    rule.putArray("resources").add(resource);
    ObjectNode to = webhook.putObject("clientConfig");
    to.put("url", server.url()).put("caBundle", server.caBundle());
    switch (extra.substring(0, Math.max(0, extra.indexOf('=')))) {
      case "failurePolicy" -> webhook.put("failurePolicy", value);
      case "sideEffects" -> webhook.put("sideEffects", value);
      case "caBundle" -> to.put("caBundle", value);
      case "condition" ->
          webhook.putArray("matchConditions").addObject().put("name", "c").put("expression", value);
      case "service" -> {
        to.remove("url");
        to.putObject("service")
            .put("namespace", "default")
            .put("name", value)
            .put("port", 443)
            .put("path", "/review");
      }
      case "reinvoked" -> {
        webhook.put("reinvocationPolicy", "IfNeeded");
        ObjectNode second = webhook.deepCopy();
        second.put("name", value).put("reinvocationPolicy", "Never");
        ((ArrayNode) configuration.path("webhooks")).add(second);
      }
      case "selector" ->
          webhook
              .putObject("objectSelector")
              .putArray("matchExpressions")
              .addObject()
              .put("key", value)
              .put("operator", "Exists");
      default -> {}
    }
    StoredObject stored =
        sandbox
            .api()
            .create(tester(), type(configuration), null, configuration, WriteOptions.plain());
    assertThat(stored.key().name()).isEqualTo("hooks");
  }

  private void remove(String kind) {
    ResourceType type =
        sandbox.api().registry().ofKind("admissionregistration.k8s.io/v1", kind).orElseThrow();
    StoredObject deleted =
        sandbox.api().delete(tester(), type, null, "hooks", DeleteOptions.plain());
    assertThat(deleted.key().name()).isEqualTo("hooks");
  }
}
