package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.AllowedNamespaces;
import io.berth.crds.Annotations;
import io.berth.crds.SchedulingPolicySpec;
import io.berth.crds.policy.SharedNodes;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Idle;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorBuilder;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Policies that pods reference: existence, and permission to use them. */
class PoliciesOfPodsTest {
  private final TestCluster cluster = new TestCluster();

  @BeforeEach
  void oneNode() {
    cluster.upsert(TestCluster.node("n1", "4"));
  }

  private void serve(@Nullable AllowedNamespaces allowed) {
    cluster.apply(
        new ClusterEvent.PolicyServed(
            TestCluster.policy(
                "batch",
                new SchedulingPolicySpec(
                    false,
                    true,
                    List.of(),
                    List.of(),
                    1,
                    false,
                    100,
                    List.of(),
                    null,
                    null,
                    null,
                    allowed,
                    SharedNodes.TRUST,
                    null,
                    null))));
  }

  private static AllowedNamespaces names(String... names) {
    return new AllowedNamespaces(List.of(names), null);
  }

  private static AllowedNamespaces tier(String tier) {
    LabelSelector selector = new LabelSelectorBuilder().addToMatchLabels("tier", tier).build();
    return new AllowedNamespaces(List.of(), selector);
  }

  private static Pod naming(String policy, String name) {
    return new PodBuilder(TestCluster.pod(name, "1", 0))
        .editMetadata()
        .addToAnnotations(Annotations.POLICY, policy)
        .endMetadata()
        .build();
  }

  private static Namespace team(Map<String, String> labels) {
    return new NamespaceBuilder()
        .withNewMetadata()
        .withName("team")
        .withLabels(labels)
        .endMetadata()
        .build();
  }

  @Test
  void podOfANamespaceThatIsLeftOut_staysPending_untilThePolicyAllowsIt() {
    serve(names("others"));
    cluster.upsert(naming("batch", "p"));

    assertThat(cluster.unschedulable().message())
        .isEqualTo(
            "SchedulingPolicy \"batch\" does not exist, is invalid, or does not allow namespace"
                + " \"team\": create it, correct what its status reports, or add the namespace to"
                + " its spec.allowedNamespaces");
    assertThat(cluster.next()).isInstanceOf(Idle.class);

    serve(names("others", "team"));
    cluster.later(Duration.ofSeconds(2));
    assertThat(cluster.placed().nodeName()).isEqualTo("n1");
  }

  @Test
  void podOfANamespaceThatIsLeftOut_isPlaced_whenTheNamespaceIsLabelled() {
    cluster.upsert(team(Map.of("tier", "silver")));
    serve(tier("gold"));
    cluster.upsert(naming("batch", "p"));
    assertThat(cluster.unschedulable().message()).contains("does not allow namespace");

    cluster.upsert(team(Map.of("tier", "gold")));

    cluster.later(Duration.ofSeconds(2));
    assertThat(cluster.placed().nodeName()).isEqualTo("n1");
  }

  @Test
  void defaultPolicyThatLeavesTheNamespaceOut_placesNoneOfItsPods() {
    serve(names("others"));
    cluster.apply(new ClusterEvent.DefaultPolicyChanged("batch"));
    cluster.upsert(TestCluster.pod("p", "1", 0));

    assertThat(cluster.unschedulable().message()).contains("does not allow namespace");
  }

  @Test
  void podThatWaitsForRoom_getsAMessage_whenItsPolicyIsDeleted() {
    serve(null);
    cluster.upsert(
        new PodBuilder(naming("batch", "p"))
            .editSpec()
            .editContainer(0)
            .editResources()
            .withRequests(TestCluster.node("any", "64").getStatus().getAllocatable())
            .endResources()
            .endContainer()
            .endSpec()
            .build());
    assertThat(cluster.unschedulable().message()).contains("Insufficient cpu");

    cluster.apply(new ClusterEvent.PolicyRemoved("batch"));

    cluster.later(Duration.ofSeconds(2));
    assertThat(cluster.unschedulable().message())
        .startsWith("SchedulingPolicy \"batch\" does not exist");
  }
}
