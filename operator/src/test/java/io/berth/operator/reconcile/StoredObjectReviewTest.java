package io.berth.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.NodeSchedulerConfig;
import io.berth.crds.SchedulerConfigBinding;
import io.berth.crds.SchedulingPolicy;
import io.berth.operator.reconcile.Conditions.Finding;
import io.berth.webhook.binding.LiveCatalog;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The Ready condition of bindings. */
class StoredObjectReviewTest {
  private final LiveCatalog catalog = new LiveCatalog("berth-system");
  private final StoredObjectReview review = new StoredObjectReview(catalog);

  @BeforeEach
  void serve() {
    catalog.put(new NamespaceBuilder().withNewMetadata().withName("team").endMetadata().build());
    catalog.put(
        Serialization.unmarshal(
            """
            kind: SchedulingPolicy
            metadata: {name: batch, generation: 1}
            spec: {}
            """,
            SchedulingPolicy.class));
    catalog.put(
        Serialization.unmarshal(
            """
            kind: NodeSchedulerConfig
            metadata: {name: pool, generation: 1}
            spec:
              parameters: [{name: Pool, required: true}]
              tolerations: [{key: "${Pool}", operator: Exists}]
            """,
            NodeSchedulerConfig.class));
  }

  private Finding ready(String namespace, String spec) {
    return review.ready(
        Serialization.unmarshal(
            """
            kind: SchedulerConfigBinding
            metadata: {name: b, namespace: %s, generation: 1}
            spec: {schedulingPolicy: batch, %s}
            """
                .formatted(namespace, spec),
            SchedulerConfigBinding.class));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          team         | priority: 1                                      | true  | InUse
          team         | rollout: {percent: 0}                            | true  | NoEffect
          berth-system | namespaceSelector: {matchLabels: {tier: gold}}   | true  | NoEffect
          berth-system | priority: 1                                      | false | NoEffect
          kube-system  | priority: 1                                      | false | NoEffect
          team         | schedulerName: default-scheduler                 | false | NoEffect
          team         | nodeConfigs: [{name: gone}]                      | false | ReferencesUnresolved
          team         | nodeConfigs: [{name: pool, args: {Pol: A}}]      | false | ArgumentsInvalid
          team         | nodeConfigs: [{name: gone}, {name: pool}]        | false | ReferencesUnresolved
          """)
  void aBinding_isReadyOnlyIfItCanHaveAnEffect(
      String namespace, String spec, boolean isTrue, String reason) {
    Finding ready = ready(namespace, spec);

    assertThat(ready.isTrue()).isEqualTo(isTrue);
    assertThat(ready.reason()).isEqualTo(reason);
    if (!reason.equals("InUse")) {
      assertThat(ready.message()).startsWith("BERTH-1");
    }
  }

  @Test
  void allThatIsWrong_isInTheMessage() {
    assertThat(ready("team", "nodeConfigs: [{name: gone}, {name: pool}]").message())
        .contains("BERTH-1701")
        .contains("BERTH-1104");
  }
}
