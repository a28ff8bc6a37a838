package io.berth.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The rights that writing resource claims takes beyond access to the objects. */
class ClaimAccessTest {
  private static final String CLAIMS = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims";
  private static final String STATUS = CLAIMS + "/c/status";
  private static final String DRIVER = "system:serviceaccount:default:driver";
  private static final String ADMIN_CLAIM =
      """
      {"metadata":{"name":"c"},"spec":{"devices":{"requests":[
       {"name":"r","exactly":{"deviceClassName":"gpu","adminAccess":true}}]}}}\
      """;

  private final Sandbox sandbox = Sandbox.start(SandboxOptions.defaults());
  private final TestClient admin = new TestClient(sandbox);

  @BeforeEach
  void allowStatus() {
    role("status", "resourceclaims/status", "update", "");
  }

  @AfterEach
  void stop() {
    sandbox.close();
  }

  @Test
  void adminAccess_takesALabelOfTheNamespace() {
    TestClient.Reply refused = admin.post(CLAIMS, ADMIN_CLAIM);
    TestClient.Reply template =
        admin.post(
            "/apis/resource.k8s.io/v1/namespaces/default/resourceclaimtemplates",
            ADMIN_CLAIM.replace("{\"devices\"", "{\"spec\":{\"devices\"") + "}");
    admin.patch(
        "/api/v1/namespaces/default",
        "application/merge-patch+json",
        "{\"metadata\":{\"labels\":{\"resource.kubernetes.io/admin-access\":\"true\"}}}");
    TestClient.Reply accepted = admin.post(CLAIMS, ADMIN_CLAIM);

    assertThat(refused.body().path("message").asText())
        .isEqualTo(
            "ResourceClaim.resource.k8s.io \"c\" is invalid: spec.devices.requests[0].adminAccess:"
                + " Forbidden: admin access to devices requires the"
                + " `resource.kubernetes.io/admin-access: true` label on the containing namespace");
    assertThat(template.code()).isEqualTo(422);
    assertThat(accepted.code()).isEqualTo(201);
  }

  @Test
  void allocation_takesTheRightToBind() {
    JsonNode allocated = allocated(claim());

    TestClient.Reply refused = admin.putAs(DRIVER, Map.of(), STATUS, allocated);
    role("binder", "resourceclaims/binding", "update", "");
    TestClient.Reply accepted = admin.putAs(DRIVER, Map.of(), STATUS, allocated);

    assertThat(refused.code()).isEqualTo(422);
    assertThat(refused.body().path("message").asText())
        .contains(
            "status.allocation: Forbidden: changing status.allocation or status.reservedFor"
                + " requires resource=\"resourceclaims/binding\", verb=\"update\" permission: ");
    assertThat(accepted.code()).isEqualTo(200);
  }

  @Test
  void jsonPatch_addsToAStatusThatIsEmpty() {
    String name = claim().at("/metadata/name").asText();

    TestClient.Reply patched =
        admin.patch(
            CLAIMS + "/" + name + "/status",
            "application/json-patch+json",
            "[{\"op\":\"add\",\"path\":\"/status/allocation\",\"value\":{}}]");

    assertThat(patched.code()).isEqualTo(200);
    assertThat(patched.body().at("/status/allocation").isObject()).isTrue();
  }

  @Test
  void deviceStatus_takesARightForTheDriver_onAnyNodeOrItsOwn() {
    JsonNode reported = reported(admin.put(STATUS, allocated(claim())).body());
    Map<String, String> onNode =
        Map.of("Impersonate-Extra-Authentication.kubernetes.io%2Fnode-Name", "node-1");
    role("own", "resourceclaims/driver", "associated-node:update", "gpu.example.com");

    TestClient.Reply elsewhere = admin.putAs(DRIVER, Map.of(), STATUS, reported);
    TestClient.Reply onItsNode = admin.putAs(DRIVER, onNode, STATUS, reported);

    assertThat(elsewhere.code()).isEqualTo(422);
    assertThat(elsewhere.body().path("message").asText())
        .contains("changing status.devices requires resource=\"resourceclaims/driver\"")
        .contains("cannot arbitrary-node:update resource \"resourceclaims/driver\"");
    assertThat(onItsNode.code()).as(onItsNode.body().toString()).isEqualTo(200);
  }

  private JsonNode claim() {
    TestClient.Reply made = admin.post(CLAIMS, ADMIN_CLAIM.replace(",\"adminAccess\":true", ""));
    assertThat(made.code()).as(made.body().toString()).isEqualTo(201);
    return made.body();
  }

  private static JsonNode allocated(JsonNode claim) {
    ObjectNode allocation = ((ObjectNode) claim).withObject("/status/allocation");
    allocation
        .withObject("/devices")
        .withArray("results")
        .addObject()
        .put("request", "r")
        .put("driver", "gpu.example.com")
        .put("pool", "p")
        .put("device", "d");
    allocation
        .withObject("/nodeSelector")
        .withArray("nodeSelectorTerms")
        .addObject()
        .putArray("matchFields")
        .addObject()
        .put("key", "metadata.name")
        .put("operator", "In")
        .putArray("values")
        .add("node-1");
    return claim;
  }

  private static JsonNode reported(JsonNode claim) {
    ((ObjectNode) claim)
        .withObject("/status")
        .withArray("devices")
        .addObject()
        .put("driver", "gpu.example.com")
        .put("pool", "p")
        .put("device", "d");
    return claim;
  }

  /** Gives the driver's account a right; {@code name} is a resource name, or empty for all. */
  private void role(String role, String resource, String verb, String name) {
    String names = name.isEmpty() ? "" : ",\"resourceNames\":[\"" + name + "\"]";
    admin.post(
        "/apis/rbac.authorization.k8s.io/v1/clusterroles",
        """
        {"metadata":{"name":"%s"},"rules":[{"apiGroups":["resource.k8s.io"],"resources":["%s"],"verbs":["%s"]%s}]}\
        """
            .formatted(role, resource, verb, names));
    admin.post(
        "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
        """
        {"metadata":{"name":"%s"},"roleRef":{"kind":"ClusterRole","name":"%s"},
         "subjects":[{"kind":"ServiceAccount","name":"driver","namespace":"default"}]}\
        """
            .formatted(role, role));
  }
}
