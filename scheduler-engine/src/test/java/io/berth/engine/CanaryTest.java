package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.framework.Canary;
import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.model.Controller;
import io.berth.engine.model.PodRef;
import io.berth.engine.model.WorkloadHash;
import io.berth.engine.policy.PolicyCompilation;
import io.berth.engine.policy.PolicyCompiler;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Canaries: newer revisions that place the pods of a part of the workloads. */
class CanaryTest {
  private static final String PACKS =
      """
      {"priorities": [
         {"name": "NodeResourcesFit", "weight": 100,
          "args": {"scoringStrategy": {"type": "MostAllocated"}}}]}
      """;
  private static final String NOWHERE =
      """
      {"allowedNamespaces": {"names": ["other"]}}
      """;

  private final TestCluster cluster = new TestCluster();

  private static CompiledPolicy policy(String revision, String spec) {
    try {
      PolicyCompilation compiled =
          new PolicyCompiler()
              .compile(
                  TestCluster.POLICY,
                  revision,
                  new ObjectMapper().readValue(spec, SchedulingPolicySpec.class));
      return ((PolicyCompilation.Compiled) compiled).policy();
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(spec, e);
    }
  }

  private void serve(int percent, String spec) {
    cluster.apply(
        new ClusterEvent.PolicyServed(
            policy("1", "{}"), Optional.of(new Canary(policy("2", spec), percent, "hash"))));
  }

  private static Pod of(String deployment, int number) {
    return new PodBuilder(TestCluster.pod(deployment + "-5f7b-" + number, "1", 0))
        .editMetadata()
        .addToLabels("pod-template-hash", "5f7b")
        .withOwnerReferences(
            new OwnerReferenceBuilder()
                .withApiVersion("apps/v1")
                .withKind("ReplicaSet")
                .withName(deployment + "-5f7b")
                .withUid("uid-" + deployment)
                .withController(true)
                .build())
        .endMetadata()
        .build();
  }

  private Set<String> deploymentsOfTheCanary() {
    Set<String> chosen = new TreeSet<>();
    for (int i = 0; i < 100; i++) {
      Set<String> revisions = new TreeSet<>();
      for (int j = 0; j < 3; j++) {
        cluster.upsert(of("app" + i, j));
        Decision.Placed placed = cluster.placed();
        revisions.add(placed.record().policyRevision());
        cluster.apply(new ClusterEvent.BindingConfirmed(placed.pod()));
        cluster.apply(new ClusterEvent.PodRemoved(placed.pod()));
      }
      assertThat(revisions).as("the pods of a Deployment").hasSize(1);
      if (revisions.contains("2")) {
        chosen.add("app" + i);
      }
    }
    return chosen;
  }

  @Test
  void theNewerRevisionPlacesThePodsOfAPartOfTheDeployments() {
    cluster.upsert(TestCluster.node("n1", "64"));
    serve(20, PACKS);
    Set<String> first = deploymentsOfTheCanary();
    assertThat(first).hasSizeBetween(10, 30);

    serve(60, PACKS);
    Set<String> second = deploymentsOfTheCanary();
    assertThat(second).hasSizeBetween(45, 75).containsAll(first);

    serve(0, PACKS);
    assertThat(deploymentsOfTheCanary()).isEmpty();
    serve(100, PACKS);
    assertThat(deploymentsOfTheCanary()).hasSize(100);
  }

  @Test
  void eachRevisionDecidesByItsOwnRules() {
    cluster.upsert(TestCluster.node("n1", "8"));
    cluster.upsert(TestCluster.node("n2", "8"));
    cluster.upsert(TestCluster.bound(TestCluster.pod("first", "4", 0), "n2"));
    serve(100, PACKS);
    cluster.upsert(TestCluster.pod("packed", "1", 0));
    assertThat(cluster.placed().nodeName()).isEqualTo("n2");

    serve(0, PACKS);
    cluster.upsert(TestCluster.pod("spread", "1", 0));
    assertThat(cluster.placed().nodeName()).isEqualTo("n1");
  }

  @Test
  void aPodThatOneRevisionRejectsIsTriedAgainWhenTheOtherOneServesIt() {
    cluster.upsert(TestCluster.node("n1", "8"));
    serve(100, NOWHERE);
    cluster.upsert(TestCluster.pod("p", "1", 0));
    assertThat(cluster.unschedulable().record().policyRevision()).isEqualTo("2");

    serve(0, NOWHERE);
    assertThat(cluster.placed().record().policyRevision()).isEqualTo("1");
  }

  @Test
  void afterTheCanaryOneRevisionServesAll() {
    cluster.upsert(TestCluster.node("n1", "64"));
    serve(50, PACKS);
    deploymentsOfTheCanary();
    cluster.apply(new ClusterEvent.PolicyServed(policy("2", PACKS)));
    assertThat(deploymentsOfTheCanary()).hasSize(100);
    assertThat(cluster.engine.plans().size()).as("plans of one revision").isEqualTo(1);
  }

  @Test
  void rootOwnersAreDerivedFromNames() {
    int deployment = hash("ReplicaSet", "web-5f7b", Map.of("pod-template-hash", "5f7b"));
    assertThat(deployment)
        .isEqualTo(hash("ReplicaSet", "web-99aa", Map.of("pod-template-hash", "99aa")))
        .isEqualTo(hash("Deployment", "web", Map.of()))
        .isNotEqualTo(hash("ReplicaSet", "web-5f7b", Map.of()))
        .isNotEqualTo(hash("Deployment", "web2", Map.of()));
    assertThat(hash("Job", "night-29361600", Map.of()))
        .isEqualTo(hash("Job", "night-29361660", Map.of()))
        .isEqualTo(hash("CronJob", "night", Map.of()))
        .isNotEqualTo(hash("Job", "night-2936166", Map.of()));
    assertThat(hash("ReplicaSet", "-5f7b", Map.of("pod-template-hash", "5f7b")))
        .isEqualTo(hash("ReplicaSet", "-5f7b", Map.of()));
  }

  private static int hash(String kind, String name, Map<String, String> labels) {
    return WorkloadHash.of(
        new PodRef("default", "pod-of-" + name, "uid-" + name),
        labels,
        Optional.of(new Controller("v1", kind, name)),
        Optional.empty());
  }
}
