package io.berth.sandbox.patch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.Yaml;
import io.berth.sandbox.failure.ApiException;
import io.berth.sandbox.openapi.SchemaNode;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ServerSideApplyTest {
  private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");
  private static final String DEPLOYMENT =
      """
      apiVersion: apps/v1
      kind: Deployment
      metadata: {name: web, namespace: default}
      spec:
        replicas: 2
        template:
          spec:
            containers:
            - name: main
              image: web:1
              ports: [{containerPort: 80}]
              env: [{name: A, value: '1'}]
      """;

  private static final Optional<SchemaNode> SCHEMA = Schemas.of(Yaml.tree(DEPLOYMENT));

  private final Patches patches = new Patches();

  @Test
  void create_recordsWhatWasApplied() {
    ObjectNode created = apply(null, DEPLOYMENT, "alice");

    assertThat(created.at("/metadata/managedFields"))
        .isEqualTo(
            Yaml.tree(
                """
                - apiVersion: apps/v1
                  fieldsType: FieldsV1
                  fieldsV1:
                    f:spec:
                      f:replicas: {}
                      f:template:
                        f:spec:
                          f:containers:
                            'k:{"name":"main"}':
                              .: {}
                              f:env:
                                'k:{"name":"A"}': {.: {}, f:name: {}, f:value: {}}
                              f:image: {}
                              f:name: {}
                              f:ports:
                                'k:{"containerPort":80,"protocol":"TCP"}':
                                  .: {}
                                  f:containerPort: {}
                  manager: alice
                  operation: Apply
                  time: '2026-01-02T03:04:05Z'
                """));
  }

  @Test
  void fieldNoLongerApplied_isRemoved_unlessAnotherOwnsItToo() {
    String withoutPorts = DEPLOYMENT.replace("        ports: [{containerPort: 80}]\n", "");
    ObjectNode live = apply(apply(null, DEPLOYMENT, "alice"), withoutPorts, "bob");

    String withoutEnv = withoutPorts.replace("        env: [{name: A, value: '1'}]\n", "");
    ObjectNode applied = apply(live, withoutEnv, "alice");

    JsonNode main = applied.at("/spec/template/spec/containers/0");
    assertThat(main.at("/env/0/value").asText()).as("bob owns it").isEqualTo("1");
    assertThat(main.path("ports")).as("only alice owned it").isEmpty();
  }

  @Test
  void changeOfAnothersField_isAConflict_unlessForced() {
    ObjectNode live = apply(null, DEPLOYMENT, "alice");
    String three = DEPLOYMENT.replace("replicas: 2", "replicas: 3");

    assertThatThrownBy(() -> apply(live, three, "bob"))
        .isInstanceOfSatisfying(
            ApiException.class,
            e -> {
              assertThat(e.code()).isEqualTo(409);
              assertThat(e.status().at("/details/causes/0/reason").asText())
                  .isEqualTo("FieldManagerConflict");
            })
        .hasMessage("Apply failed with 1 conflict: conflict with \"alice\": .spec.replicas");

    ObjectNode forced =
        patches.apply(Optional.of(live), Yaml.object(three), by("bob"), true, SCHEMA);
    assertThat(forced.at("/spec/replicas").asInt()).isEqualTo(3);
    assertThat(managed(forced, "alice").at("/fieldsV1/f:spec").has("f:replicas")).isFalse();
    assertThat(managed(forced, "bob").at("/fieldsV1/f:spec").has("f:replicas")).isTrue();
  }

  @Test
  void update_takesFieldsOver_andConflictsNameItsVersion() {
    ObjectNode live = apply(null, DEPLOYMENT, "alice");
    ObjectNode scaled = live.deepCopy();
    scaled.withObject("/spec").put("replicas", 5);
    patches.trackUpdate(Optional.of(live), scaled, by("kubectl-scale"), SCHEMA);

    assertThat(managed(scaled, "kubectl-scale").path("operation").asText()).isEqualTo("Update");
    assertThatThrownBy(() -> apply(scaled, DEPLOYMENT, "alice"))
        .hasMessage(
            "Apply failed with 1 conflict: conflict with \"kubectl-scale\" using apps/v1:"
                + " .spec.replicas");
  }

  @Test
  void sameApplyAgain_changesNothing() {
    ObjectNode live = apply(null, DEPLOYMENT, "alice");

    ObjectNode again =
        patches.apply(
            Optional.of(live),
            Yaml.object(DEPLOYMENT),
            new FieldWriter("alice", "apps/v1", "", NOW.plusSeconds(60)),
            false,
            SCHEMA);

    assertThat(again).isEqualTo(live);
  }

  @Test
  void listItems_keepTheLiveOrder_andTakeTheConfigurationsForItsOwn() {
    String conditions =
        """
        apiVersion: v1
        kind: Pod
        metadata: {name: a}
        status: {conditions: [%s]}
        """;
    ObjectNode live = apply(null, conditions.formatted("{type: A}, {type: B}"), "alice");
    ObjectNode merged = apply(live, conditions.formatted("{type: D}, {type: B}, {type: C}"), "bob");

    assertThat(merged.at("/status/conditions"))
        .extracting(condition -> condition.path("type").asText())
        .containsExactly("A", "D", "B", "C");
  }

  @Test
  void statusApply_leavesTheSpecAlone() {
    ObjectNode live = apply(null, DEPLOYMENT, "alice");

    ObjectNode applied =
        patches.apply(
            Optional.of(live),
            Yaml.object(
                """
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: web, namespace: default}
                status: {replicas: 2}
                """),
            new FieldWriter("controller", "apps/v1", "status", NOW),
            true,
            SCHEMA);

    assertThat(applied.path("spec")).isEqualTo(live.path("spec"));
    JsonNode entry = managed(applied, "controller");
    assertThat(entry.path("subresource").asText()).isEqualTo("status");
    assertThat(entry.path("fieldsV1")).isEqualTo(Yaml.tree("f:status: {f:replicas: {}}"));
  }

  @Test
  void kubectl_takesOverItsOwnClientSideApply() {
    ObjectNode live = Yaml.object(DEPLOYMENT);
    live.withObject("/metadata/annotations")
        .put(
            "kubectl.kubernetes.io/last-applied-configuration", Yaml.object(DEPLOYMENT).toString());
    patches.trackUpdate(Optional.empty(), live, by("kubectl-client-side-apply"), SCHEMA);

    ObjectNode applied = apply(live, DEPLOYMENT.replace("replicas: 2", "replicas: 4"), "kubectl");

    assertThat(applied.at("/spec/replicas").asInt()).isEqualTo(4);
  }

  private ObjectNode apply(@Nullable ObjectNode live, String yaml, String manager) {
    return patches.apply(Optional.ofNullable(live), Yaml.object(yaml), by(manager), false, SCHEMA);
  }

  private static FieldWriter by(String manager) {
    return new FieldWriter(manager, "apps/v1", "", NOW);
  }

  private static JsonNode managed(ObjectNode object, String manager) {
    for (JsonNode entry : object.at("/metadata/managedFields")) {
      if (entry.path("manager").asText().equals(manager)) {
        return entry;
      }
    }
    throw new AssertionError("no manager " + manager + " in " + object.at("/metadata"));
  }
}
