package io.berth.operator.policy;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.SchedulingPolicySpec;
import io.fabric8.kubernetes.api.model.apps.ControllerRevision;
import java.util.List;

/**
 * The specs of policies as they are stored in ControllerRevisions: without the private keys of
 * extenders, because more users can read ControllerRevisions than SchedulingPolicies.
 */
final class StoredSpecs {

  /** Without nulls, so that a user can apply what is stored. */
  private static final ObjectMapper JSON =
      new ObjectMapper().setDefaultPropertyInclusion(JsonInclude.Include.NON_NULL);

  private static final String KEY = "keyData";

  /** A certificate without its key would make the policy invalid. */
  private static final List<String> PAIR = List.of("certData", KEY);

  private StoredSpecs() {}

  /** Returns the data of a ControllerRevision with this spec. */
  static Object of(SchedulingPolicySpec spec) {
    JsonNode stored = JSON.valueToTree(spec);
    for (JsonNode extender : stored.path("extenders")) {
      if (extender.path("tlsConfig") instanceof ObjectNode tls && holdsKey(tls)) {
        tls.remove(PAIR);
      }
    }
    return JSON.convertValue(stored, Object.class);
  }

  /** Returns whether a stored revision contains a key, as earlier versions of Berth wrote it. */
  static boolean holdKey(ControllerRevision kept) {
    JsonNode stored = JSON.valueToTree(kept.getData());
    for (JsonNode extender : stored.path("extenders")) {
      if (holdsKey(extender.path("tlsConfig"))) {
        return true;
      }
    }
    return false;
  }

  private static boolean holdsKey(JsonNode tls) {
    return !tls.path(KEY).asText("").isEmpty();
  }
}
