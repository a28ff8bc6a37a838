package io.berth.crds;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.berth.crds.binding.Enforcement;
import io.berth.crds.binding.PodOverrides;
import io.berth.crds.binding.Repair;
import io.berth.crds.policy.PriorityPolicy;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Manifests that are parsed into the resource types and written again. */
class ResourceYamlTest {

  private final KubernetesSerialization yaml = new KubernetesSerialization();

  @Test
  void quotedGoTemplateInANodeAffinity_isKeptAsWritten() {
    NodeSchedulerConfig config =
        yaml.unmarshal(
            """
            apiVersion: sched.cloud.ctrip.com/v1
            kind: NodeSchedulerConfig
            metadata: {name: pool}
            spec:
              nodeAffinity:
                preferredDuringSchedulingIgnoredDuringExecution:
                - weight: "${Weight}"
                  preference:
                    $if: ${UsePool}
                    matchExpressions:
                    - {key: cloud.ctrip.com/pool, operator: In, values: ["{{.PrefferredPool}}", 3]}
            """,
            NodeSchedulerConfig.class);

    var term =
        config
            .getSpec()
            .nodeAffinity()
            .preferredDuringSchedulingIgnoredDuringExecution()
            .getFirst();
    assertThat(term.weight().getStrVal()).isEqualTo("${Weight}");
    assertThat(term.preference().condition()).isEqualTo("${UsePool}");
    assertThat(term.preference().matchExpressions().getFirst().values())
        .containsExactly("{{.PrefferredPool}}", "3");
    assertThat(config.getStatus()).isNull();
  }

  @Test
  void emptyNamespaceSelector_isNotAnAbsentOne() {
    PodSchedulerConfig config =
        yaml.unmarshal(
            """
            apiVersion: sched.cloud.ctrip.com/v1
            kind: PodSchedulerConfig
            metadata: {name: away}
            spec:
              podAntiAffinity:
                requiredDuringSchedulingIgnoredDuringExecution:
                - labelSelector: {matchLabels: {app: "${App}"}}
                  namespaceSelector: {}
                  topologyKey: kubernetes.io/hostname
            """,
            PodSchedulerConfig.class);

    assertThat(yaml.asYaml(config))
        .contains("namespaceSelector: {}")
        .doesNotContain("matchLabelKeys");
  }

  @Test
  void bindingThatSaysLittle_takesTheDefaults() {
    SchedulerConfigBinding binding =
        yaml.unmarshal(
            """
            apiVersion: sched.cloud.ctrip.com/v1
            kind: SchedulerConfigBinding
            metadata: {name: spark, namespace: team-data}
            spec:
              nodeConfigs: [{name: pool, args: {DefaultPool: B, Weight: 3}}]
            """,
            SchedulerConfigBinding.class);

    SchedulerConfigBindingSpec spec = binding.getSpec();
    assertThat(spec.priority()).isZero();
    assertThat(spec.enforcement()).isEqualTo(Enforcement.ENFORCE);
    assertThat(spec.podOverrides()).isEqualTo(PodOverrides.ALLOW);
    assertThat(spec.repair()).isEqualTo(Repair.NONE);
    assertThat(spec.rolloutPercent()).isEqualTo(100);
    assertThat(spec.podConfigs()).isEmpty();
    assertThat(spec.nodeConfigs().getFirst().args())
        .isEqualTo(Map.of("DefaultPool", new TextNode("B"), "Weight", new IntNode(3)));
  }

  @Test
  void policyThatSaysLittle_takesTheDefaults() {
    SchedulingPolicy policy =
        yaml.unmarshal(
            """
            apiVersion: sched.cloud.ctrip.com/v1
            kind: SchedulingPolicy
            metadata: {name: batch}
            spec:
              priorities: [{name: ImageLocality, weight: 0}]
            """,
            SchedulingPolicy.class);

    assertThat(policy.getSpec())
        .isEqualTo(
            SchedulingPolicySpec.of(
                List.of(), List.of(new PriorityPolicy("ImageLocality", 0, true, Map.of()))));
    assertThat(policy.getSpec().effectivePreemption().enabled()).isTrue();
  }

  @Test
  void fieldOfANewerVersion_isIgnored() {
    SchedulingPolicy policy =
        yaml.unmarshal(
            """
            apiVersion: sched.cloud.ctrip.com/v1
            kind: SchedulingPolicy
            metadata: {name: batch}
            spec: {default: true, invented: {later: 1}}
            """,
            SchedulingPolicy.class);

    assertThat(policy.getSpec().isDefault()).isTrue();
  }
}
