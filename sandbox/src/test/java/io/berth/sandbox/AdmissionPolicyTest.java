package io.berth.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** ValidatingAdmissionPolicies and their bindings, with the messages of the API server. */
class AdmissionPolicyTest {
  private static final String POLICIES =
      "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
  private static final String BINDINGS =
      "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings";
  private static final String CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";

  private final Sandbox sandbox = Sandbox.start(SandboxOptions.defaults());
  private final TestClient admin = new TestClient(sandbox);

  @AfterEach
  void stop() {
    sandbox.close();
  }

  @Test
  void boundPolicy_deniesWithItsEvaluatedMessage() {
    policy(
        """
        variables:
        - {name: owner, expression: "object.metadata.?labels.?owner.orValue('')"}
        - {name: broken, expression: "object.nothing.here"}
        validations:
        - expression: variables.owner != ""
          messageExpression: "'no owner of ' + object.metadata.name + ' in ' + request.namespace"
          message: not used
        """);
    bind("validationActions: [Deny]");

    TestClient.Reply refused = admin.post(CONFIG_MAPS, "{\"metadata\":{\"name\":\"a\"}}");
    TestClient.Reply accepted =
        admin.post(CONFIG_MAPS, "{\"metadata\":{\"name\":\"a\",\"labels\":{\"owner\":\"x\"}}}");

    assertThat(refused.code()).isEqualTo(422);
    assertThat(refused.body().path("reason").asText()).isEqualTo("Invalid");
    assertThat(refused.body().path("message").asText())
        .isEqualTo(
            "configmaps \"a\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied"
                + " request: no owner of a in default");
    assertThat(accepted.code()).isEqualTo(201);
  }

  @Test
  void variablesOverTheUser_readItsAdditionalAttributes() {
    policy(
        """
        variables:
        - name: node
          expression: "request.userInfo.extra[?'authentication.kubernetes.io/node-name'][0].orValue('')"
        validations:
        - {expression: "variables.node == 'node-1'", messageExpression: "'on ' + variables.node"}
        """);
    JsonNode map = admin.post(CONFIG_MAPS, "{\"metadata\":{\"name\":\"a\"}}").body();
    bind("validationActions: [Deny]");

    TestClient.Reply own = admin.putAs("u", onNode("node-1"), CONFIG_MAPS + "/a", map);
    TestClient.Reply other = admin.putAs("u", onNode("node-2"), CONFIG_MAPS + "/a", map);

    assertThat(own.code()).as(own.body().toString()).isEqualTo(200);
    assertThat(other.body().path("message").asText()).endsWith("denied request: on node-2");
  }

  private static Map<String, String> onNode(String node) {
    return Map.of(
        "Impersonate-Group",
        "system:masters",
        "Impersonate-Extra-Authentication.kubernetes.io%2Fnode-Name",
        node);
  }

  @Test
  void reasonAndMessage_areThoseOfTheValidation() {
    policy("validations: [{expression: 'false', message: ' never ', reason: Forbidden}]");
    bind("validationActions: [Deny]");

    TestClient.Reply refused = admin.post(CONFIG_MAPS, "{\"metadata\":{\"name\":\"a\"}}");

    assertThat(refused.code()).isEqualTo(403);
    assertThat(refused.body().path("message").asText()).endsWith("denied request: never");
  }

  @Test
  void warnings_doNotDeny() {
    policy("validations: [{expression: 1 > 2}]");
    bind("validationActions: [Warn]");

    TestClient.Reply warned = admin.post(CONFIG_MAPS, "{\"metadata\":{\"name\":\"a\"}}");

    assertThat(warned.code()).isEqualTo(201);
    assertThat(warned.response().headers().allValues("Warning"))
        .isEqualTo(
            List.of(
                "299 - \"Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b':"
                    + " failed expression: 1 > 2\""));
  }

  @Test
  void policyWithoutBinding_isNotEvaluated() {
    policy("validations: [{expression: 'false'}]");

    assertThat(admin.post(CONFIG_MAPS, "{\"metadata\":{\"name\":\"a\"}}").code()).isEqualTo(201);
  }

  @Test
  void matchConditionsAndBindings_narrowWhatAPolicyCovers() {
    policy(
        """
        matchConditions:
        - {name: deletes, expression: "request.operation == 'DELETE'"}
        validations: [{expression: "oldObject.metadata.name != 'kept'", message: it is kept}]
        """);
    bind("{validationActions: [Deny], matchResources: {objectSelector: {matchLabels: {in: b}}}}");
    admin.post(CONFIG_MAPS, "{\"metadata\":{\"name\":\"other\",\"labels\":{\"in\":\"b\"}}}");
    admin.post(CONFIG_MAPS, "{\"metadata\":{\"name\":\"kept\",\"labels\":{\"in\":\"b\"}}}");

    assertThat(admin.delete(CONFIG_MAPS + "/other").code()).isEqualTo(200);
    assertThat(admin.delete(CONFIG_MAPS + "/kept").code()).isEqualTo(422);
    admin.patch(
        CONFIG_MAPS + "/kept",
        "application/merge-patch+json",
        "{\"metadata\":{\"labels\":{\"in\":\"a\"}}}");
    assertThat(admin.delete(CONFIG_MAPS + "/kept").code()).isEqualTo(200);
  }

  @Test
  void failedExpression_deniesUnlessFailuresAreIgnored() {
    policy("validations: [{expression: object.data.missing == 'x'}]");
    bind("validationActions: [Deny]");

    TestClient.Reply refused = admin.post(CONFIG_MAPS, "{\"metadata\":{\"name\":\"a\"}}");
    admin.patch(
        POLICIES + "/p",
        "application/merge-patch+json",
        "{\"spec\":{\"failurePolicy\":\"Ignore\"}}");
    TestClient.Reply ignored = admin.post(CONFIG_MAPS, "{\"metadata\":{\"name\":\"a\"}}");

    assertThat(refused.body().path("message").asText())
        .contains("expression 'object.data.missing == 'x'' resulted in error: ");
    assertThat(ignored.code()).isEqualTo(201);
  }

  @Test
  void expressionsThatDoNotCompile_areRefused() {
    TestClient.Reply refused =
        admin.post(
            POLICIES,
            """
            {"metadata":{"name":"p"},"spec":{"matchConstraints":{"resourceRules":[
             {"apiGroups":[""],"apiVersions":["v1"],"operations":["*"],"resources":["pods"]}]},
             "validations":[{"expression":"nobody.knows"}]}}\
            """);

    assertThat(refused.code()).isEqualTo(422);
    assertThat(refused.body().path("message").asText())
        .contains("spec.validations[0].expression: Invalid value: \"nobody.knows\": compilation");
  }

  @Test
  void policiesCannotKeepThemselvesFromBeingRemoved() {
    TestClient.Reply made =
        admin.post(
            POLICIES,
            """
            {"metadata":{"name":"p"},"spec":{"matchConstraints":{"resourceRules":[
             {"apiGroups":["*"],"apiVersions":["*"],"operations":["*"],"resources":["*"]}]},
             "validations":[{"expression":"false"}]}}\
            """);
    assertThat(made.code()).isEqualTo(201);
    bind("validationActions: [Deny]");

    assertThat(admin.post("/api/v1/namespaces", "{\"metadata\":{\"name\":\"n\"}}").code())
        .isEqualTo(422);
    assertThat(admin.delete(BINDINGS + "/b").code()).isEqualTo(200);
    assertThat(admin.delete(POLICIES + "/p").code()).isEqualTo(200);
  }

  /** Creates the policy p for ConfigMaps; {@code rest} is the YAML of its validations. */
  private void policy(String rest) {
    TestClient.Reply reply =
        admin.post(
            POLICIES,
            "application/yaml",
            """
            metadata: {name: p}
            spec:
              matchConstraints:
                resourceRules:
                - {apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [configmaps]}
            """
                + rest.indent(2));
    assertThat(reply.code()).as(reply.body().toString()).isEqualTo(201);
  }

  /** Binds the policy p; {@code rest} is the YAML of the rest of the spec. */
  private void bind(String rest) {
    String spec = rest.startsWith("{") ? rest : "{" + rest + "}";
    TestClient.Reply reply =
        admin.post(
            BINDINGS,
            "application/yaml",
            "metadata: {name: b}\nspec: " + spec.replaceFirst("\\{", "{policyName: p, "));
    assertThat(reply.code()).as(reply.body().toString()).isEqualTo(201);
  }
}
