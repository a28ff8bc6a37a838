package io.berth.webhook.validation;

import static io.berth.webhook.Resources.resource;
import static io.berth.webhook.Resources.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.webhook.binding.LiveCatalog;
import io.berth.webhook.error.ErrorCode;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Arguments that are valid for each parameter, but with which the API server would reject the
 * rendered result.
 */
class BindingRenderingTest {

  private final LiveCatalog catalog = new LiveCatalog("berth-system");

  private ValidationResult binding(String args) {
    catalog.put(
        resource(
            """
            kind: NodeSchedulerConfig
            metadata: {name: pool, generation: 1}
            spec:
              parameters: [{name: Key, required: true}]
              tolerations: [{key: "${Key}", operator: Exists}]
            """));
    return new ConfigValidator((name, spec) -> List.of())
        .validate(
            "SchedulerConfigBinding",
            "team",
            "b",
            yaml(
                "{metadata: {name: b, namespace: team}, spec: {nodeConfigs: [{name: pool, args: {Key: %s}}]}}"
                    .formatted(args)),
            catalog.get());
  }

  @Test
  void they_areReportedWhenTheBindingIsApplied() {
    assertThat(binding("\"not a label key\"").warnings())
        .singleElement()
        .satisfies(
            warning -> {
              assertThat(warning.code()).isEqualTo(ErrorCode.BINDING_REFUSED);
              assertThat(warning.path()).isEqualTo("spec.nodeConfigs[0].args");
            });
  }

  @Test
  void others_areNot() {
    assertThat(binding("pool").warnings()).isEmpty();
  }
}
