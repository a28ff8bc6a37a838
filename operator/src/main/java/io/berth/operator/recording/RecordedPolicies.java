package io.berth.operator.recording;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.policy.PolicyCompilation;
import io.berth.engine.policy.PolicyCompiler;
import java.io.IOException;
import java.util.Optional;

/**
 * Policies, as the spec from which they were compiled. Certificates and keys of extenders are left
 * out: a replay asks no extenders, because their answers are recorded.
 */
final class RecordedPolicies implements ValueCodec {
  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .defaultPropertyInclusion(
              JsonInclude.Value.construct(JsonInclude.Include.NON_NULL, JsonInclude.Include.ALWAYS))
          .build();

  private final PolicyCompiler compiler = new PolicyCompiler();

  @Override
  public void write(Object value, BinaryOutput out) throws IOException {
    CompiledPolicy policy = (CompiledPolicy) value;
    out.text(policy.name());
    out.text(policy.revision());
    out.text(policy.source().map(RecordedPolicies::text).orElse(""));
  }

  private static String text(SchedulingPolicySpec spec) {
    JsonNode json = JSON.valueToTree(spec);
    for (JsonNode extender : json.path("extenders")) {
      ((ObjectNode) extender).remove("tlsConfig");
    }
    return json.toString();
  }

  @Override
  public CompiledPolicy read(BinaryInput in) throws IOException {
    String name = in.exactText();
    String revision = in.exactText();
    String spec = in.exactText();
    if (spec.isEmpty()) {
      throw new IOException(
          "the policy %s was not made from a SchedulingPolicy, so it cannot be replayed"
              .formatted(name));
    }
    return compile(name, revision, renamed(spec, in));
  }

  /** Returns the spec with the names of namespaces that are read in place of the recorded ones. */
  private static String renamed(String spec, BinaryInput in) throws IOException {
    JsonNode json = JSON.readTree(spec);
    if (json.at("/allowedNamespaces/names") instanceof ArrayNode names) {
      for (int i = 0; i < names.size(); i++) {
        names.set(i, in.renamed(names.get(i).asText()));
      }
    }
    return json.toString();
  }

  private CompiledPolicy compile(String name, String revision, String spec) throws IOException {
    Optional<SchedulingPolicySpec> read;
    try {
      read = Optional.of(JSON.readValue(spec, SchedulingPolicySpec.class));
    } catch (JsonProcessingException e) {
      throw new IOException("the policy " + name + " cannot be read", e);
    }
    return switch (compiler.compile(name, revision, read.get())) {
      case PolicyCompilation.Compiled(CompiledPolicy policy) -> policy;
      case PolicyCompilation.Invalid invalid ->
          throw new IOException(
              "this version of Berth rejects the policy %s: %s"
                  .formatted(name, invalid.problems()));
    };
  }
}
