package io.berth.operator.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.policy.PolicyCompilation;
import io.berth.engine.policy.PolicyCompiler;
import io.fabric8.kubernetes.api.model.apps.ControllerRevisionBuilder;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The specs in ControllerRevisions, which everybody with the role view can read. */
class StoredSpecsTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String PEM = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCg==";

  private static SchedulingPolicySpec spec(String tls) throws Exception {
    return JSON.readValue(
        "{\"alwaysCheckAllPredicates\":true,\"extenders\":[{\"urlPrefix\":\"https://gpu\",\"filterVerb\":\"f\",\"tlsConfig\":{%s}}]}"
            .formatted(tls),
        SchedulingPolicySpec.class);
  }

  private static boolean holdsKey(Object data) {
    return StoredSpecs.holdKey(new ControllerRevisionBuilder().withData(data).build());
  }

  @Test
  void keysAreNotStored_andTheRestStillCompiles() throws Exception {
    SchedulingPolicySpec spec =
        spec("\"certData\":\"%1$s\",\"keyData\":\"%1$s\",\"caData\":\"%1$s\"".formatted(PEM));

    JsonNode stored = JSON.valueToTree(StoredSpecs.of(spec));

    JsonNode tls = stored.path("extenders").path(0).path("tlsConfig");
    assertThat(tls.path("caData").asText()).isEqualTo(PEM);
    assertThat(tls.has("keyData")).isFalse();
    assertThat(tls.has("certData")).isFalse();
    SchedulingPolicySpec read = JSON.treeToValue(stored, SchedulingPolicySpec.class);
    assertThat(new PolicyCompiler().compile("gpu", "1", read))
        .isInstanceOf(PolicyCompilation.Compiled.class);
  }

  @Test
  void aSpecWithoutKeys_isStoredAsItIs() throws Exception {
    SchedulingPolicySpec spec = spec("\"secretName\":\"gpu-share\"");

    Object stored = StoredSpecs.of(spec);

    assertThat(JSON.convertValue(stored, SchedulingPolicySpec.class)).isEqualTo(spec);
  }

  @Test
  void aRevisionThatHoldsAKey_isRecognized() throws Exception {
    SchedulingPolicySpec spec = spec("\"certData\":\"%1$s\",\"keyData\":\"%1$s\"".formatted(PEM));

    assertThat(holdsKey(JSON.convertValue(spec, Map.class))).isTrue();
    assertThat(holdsKey(StoredSpecs.of(spec))).isFalse();
  }
}
