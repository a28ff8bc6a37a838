package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.Idle;
import io.berth.engine.api.Refusal;
import io.berth.engine.model.PodRef;
import io.berth.engine.time.Due;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClass;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClassBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Limits of preemption in policies and PriorityClasses. */
class PreemptionBrakesTest {
  private final TestCluster cluster = new TestCluster();

  /** Sets the rules of the default policy, in YAML or JSON. */
  private void rules(String preemption) {
    try {
      SchedulingPolicySpec spec =
          new ObjectMapper()
              .readValue("{\"preemption\": " + preemption + "}", SchedulingPolicySpec.class);
      cluster.apply(new ClusterEvent.PolicyServed(TestCluster.policy(TestCluster.POLICY, spec)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Pod running(String name, String cpu, int priority, String nodeName) {
    Pod pod =
        new PodBuilder(TestCluster.bound(TestCluster.pod(name, cpu, priority), nodeName))
            .editStatus()
            .withPhase("Running")
            .withStartTime(cluster.now().toString())
            .endStatus()
            .build();
    cluster.upsert(pod);
    return pod;
  }

  private static Pod ofClass(Pod pod, String priorityClass) {
    return new PodBuilder(pod).editSpec().withPriorityClassName(priorityClass).endSpec().build();
  }

  private static PriorityClass priorityClass(String name, Map<String, String> annotations) {
    return new PriorityClassBuilder()
        .withNewMetadata()
        .withName(name)
        .withAnnotations(annotations)
        .endMetadata()
        .withValue(100)
        .build();
  }

  @Test
  void aDryRunNamesTheVictimsAndEvictsNobody() {
    rules("{\"mode\": \"DryRun\"}");
    cluster.upsert(TestCluster.node("n1", "4"));
    Pod victim = running("victim", "3", 0, "n1");
    cluster.upsert(TestCluster.pod("high", "3", 100));

    Decision.Unschedulable decision = cluster.unschedulable();

    assertThat(decision.wouldEvict())
        .hasValue(new Decision.WouldEvict("n1", List.of(TestCluster.ref(victim))));
    assertThat(decision.message())
        .contains("preemption (dry run): n1 would have room without team/victim.");
    assertThat(decision.nominatedNode()).isEmpty();
    assertThat(cluster.engine.nominations().isEmpty()).isTrue();
  }

  @Test
  void aDryRunCountsVictimsOfOtherNamespacesAndDoesNotNameThem() {
    rules("{\"mode\": \"DryRun\"}");
    cluster.upsert(TestCluster.node("n1", "4"));
    Pod own = running("own", "2", 0, "n1");
    Pod secret = inNamespace("other", TestCluster.bound(TestCluster.pod("secret", "2", 0), "n1"));
    cluster.upsert(secret);
    cluster.upsert(TestCluster.pod("high", "4", 100));

    Decision.Unschedulable decision = cluster.unschedulable();

    assertThat(decision.wouldEvict().orElseThrow().victims())
        .containsExactlyInAnyOrder(TestCluster.ref(own), TestCluster.ref(secret));
    assertThat(decision.message())
        .contains("n1 would have room without team/own and 1 pod of another namespace.")
        .doesNotContain("secret");
  }

  private static Pod inNamespace(String namespace, Pod pod) {
    return new PodBuilder(pod)
        .editMetadata()
        .withNamespace(namespace)
        .withUid("uid-" + namespace + "-" + pod.getMetadata().getName())
        .endMetadata()
        .build();
  }

  @Test
  void theMirrorPodOfAStaticPodIsNobodysVictim() {
    cluster.upsert(TestCluster.node("n1", "4"));
    cluster.upsert(
        new PodBuilder(TestCluster.bound(TestCluster.pod("static-n1", "3", 0), "n1"))
            .editMetadata()
            .addToAnnotations("kubernetes.io/config.mirror", "hash")
            .endMetadata()
            .build());
    cluster.upsert(TestCluster.pod("high", "3", 100));

    assertThat(cluster.unschedulable().message())
        .contains(
            "1 No preemption victims found for incoming pod: pods of lower priority are static"
                + " pods");
  }

  @Test
  void whereAllPodsOfLowerPriorityAreProtected_theMessageSaysByWhat() {
    rules("{\"minRunTime\": \"5m\"}");
    cluster.upsert(
        priorityClass(
            "training", Map.of("sched.cloud.ctrip.com/preemption-policy", "NonPreemptible")));
    cluster.upsert(TestCluster.node("n1", "4"));
    cluster.upsert(TestCluster.node("n2", "4"));
    cluster.upsert(TestCluster.node("n3", "4"));
    running("young", "3", 0, "n1");
    cluster.upsert(ofClass(running("job", "3", 10, "n2"), "training"));
    cluster.upsert(TestCluster.bound(TestCluster.pod("equal", "3", 100), "n3"));
    cluster.later(Duration.ofMinutes(1));
    cluster.upsert(TestCluster.pod("high", "3", 100));
    assertThat(cluster.unschedulable().message())
        .contains("1 No preemption victims found for incoming pod, ")
        .contains(
            "2 No preemption victims found for incoming pod: pods of lower priority have run for"
                + " less than the minRunTime of the policy");

    rules("{\"minRunTime\": \"30s\", \"maxEvictionsPerMinute\": 1000}");
    cluster.upsert(ofClass(running("young", "3", 0, "n1"), "training"));

    assertThat(cluster.unschedulable().message())
        .contains("pods of lower priority are NonPreemptible by their PriorityClass");
  }

  @Test
  void onceADryRunIsEnforcedThePodThatWaitsPreempts() {
    rules("{\"mode\": \"DryRun\"}");
    cluster.upsert(TestCluster.node("n1", "4"));
    running("victim", "3", 0, "n1");
    cluster.upsert(TestCluster.pod("high", "3", 100));
    cluster.unschedulable();

    rules("{\"mode\": \"Enforce\"}");

    assertThat(cluster.nominated().victims()).extracting(PodRef::name).containsExactly("victim");
  }

  @Test
  void aNodeWhereTooManyWouldHaveToGoIsLeftAlone() {
    rules("{\"maxVictimsPerPod\": 1}");
    cluster.upsert(TestCluster.node("n1", "4"));
    cluster.upsert(TestCluster.node("n2", "4"));
    running("a", "2", 0, "n1");
    running("b", "2", 0, "n1");
    running("c", "4", 50, "n2");

    cluster.upsert(TestCluster.pod("high", "4", 100));

    assertThat(cluster.nominated().victims()).extracting(PodRef::name).containsExactly("c");
  }

  @Test
  void whereEveryNodeWouldLoseTooManyTheMessageSaysSo() {
    rules("{\"maxVictimsPerPod\": 1}");
    cluster.upsert(TestCluster.node("n1", "4"));
    running("a", "2", 0, "n1");
    running("b", "2", 0, "n1");
    cluster.upsert(TestCluster.pod("high", "4", 100));

    assertThat(cluster.unschedulable().message())
        .contains("1 More than 1 pods would have to be evicted");
  }

  @Test
  void aPodThatHasNotRunLongEnough_isNoVictimUntilItHas() {
    rules("{\"minRunTime\": \"5m\"}");
    cluster.upsert(TestCluster.node("n1", "4"));
    Instant started = cluster.now();
    running("victim", "3", 0, "n1");
    cluster.later(Duration.ofMinutes(1));
    cluster.upsert(TestCluster.pod("high", "3", 100));
    assertThat(cluster.unschedulable().message()).contains("No preemption victims found");
    assertThat(cluster.next()).isEqualTo(new Idle(Due.at(started.plus(Duration.ofMinutes(5)))));

    cluster.later(Duration.ofMinutes(4));

    assertThat(cluster.nominated().victims()).extracting(PodRef::name).containsExactly("victim");
  }

  @Test
  void aPodThatItsKubeletHasNotAcknowledged_hasNotRun() {
    rules("{\"minRunTime\": \"5m\"}");
    cluster.upsert(TestCluster.node("n1", "4"));
    cluster.upsert(TestCluster.bound(TestCluster.pod("starting", "3", 0), "n1"));
    cluster.later(Duration.ofHours(1));
    cluster.upsert(TestCluster.pod("high", "3", 100));

    assertThat(cluster.unschedulable().message()).contains("No preemption victims found");
  }

  @Test
  void podsOfDaemonSets_areSparedUnlessThePolicySaysOtherwise() {
    cluster.upsert(TestCluster.node("n1", "4"));
    cluster.upsert(
        new PodBuilder(withDaemonSetReference())
            .editSpec()
            .withNewAffinity()
            .withNewNodeAffinity()
            .withNewRequiredDuringSchedulingIgnoredDuringExecution()
            .addNewNodeSelectorTerm()
            .addToMatchFields(new NodeSelectorRequirement("metadata.name", "In", List.of("n1")))
            .endNodeSelectorTerm()
            .endRequiredDuringSchedulingIgnoredDuringExecution()
            .endNodeAffinity()
            .endAffinity()
            .endSpec()
            .build());
    cluster.upsert(TestCluster.pod("high", "3", 100));
    assertThat(cluster.unschedulable().message()).contains("No preemption victims found");

    rules("{\"evictDaemonSetPods\": true}");

    assertThat(cluster.nominated().victims()).extracting(PodRef::name).containsExactly("daemon");
  }

  @Test
  void anOwnerReferenceThatAnybodyMayWriteSparesNoPod() {
    cluster.upsert(TestCluster.node("n1", "4"));
    cluster.upsert(withDaemonSetReference());
    cluster.upsert(TestCluster.pod("high", "3", 100));

    assertThat(cluster.nominated().victims()).extracting(PodRef::name).containsExactly("daemon");
  }

  private static Pod withDaemonSetReference() {
    return new PodBuilder(TestCluster.bound(TestCluster.pod("daemon", "3", 0), "n1"))
        .editMetadata()
        .addNewOwnerReference()
        .withApiVersion("apps/v1")
        .withKind("DaemonSet")
        .withName("agent")
        .withController(true)
        .endOwnerReference()
        .endMetadata()
        .build();
  }

  @Test
  void evictionsOfTheWholeClusterKeepToTheLimitOfAMinute() {
    rules("{\"maxEvictionsPerMinute\": 1}");
    cluster.upsert(TestCluster.node("n1", "4"));
    cluster.upsert(TestCluster.node("n2", "4"));
    running("a", "4", 0, "n1");
    running("b", "4", 0, "n2");
    Instant first = cluster.now();
    cluster.upsert(TestCluster.pod("high-1", "4", 100));
    cluster.upsert(TestCluster.pod("high-2", "4", 100));
    cluster.nominated();
    cluster.later(Duration.ofSeconds(10));

    assertThat(cluster.unschedulable().message()).contains("Evictions are limited to 1 a minute");
    assertThat(cluster.next()).isEqualTo(new Idle(Due.at(first.plusSeconds(60))));
    cluster.later(Duration.ofSeconds(50));

    assertThat(cluster.nominated().victims()).hasSize(1);
  }

  @Test
  void evictionsInOneNamespaceKeepToItsLimitWhileOthersGoOn() {
    rules("{\"maxEvictionsPerMinutePerNamespace\": 1}");
    cluster.upsert(TestCluster.node("n1", "4"));
    cluster.upsert(TestCluster.node("n2", "4"));
    cluster.upsert(TestCluster.node("n3", "4"));
    running("a", "4", 0, "n1");
    running("b", "4", 0, "n2");
    cluster.upsert(
        new PodBuilder(TestCluster.bound(TestCluster.pod("c", "4", 50), "n3"))
            .editMetadata()
            .withNamespace("other")
            .endMetadata()
            .build());
    cluster.upsert(TestCluster.pod("high-1", "4", 100));
    assertThat(cluster.nominated().victims()).extracting(PodRef::namespace).containsExactly("team");

    cluster.upsert(TestCluster.pod("high-2", "4", 100));

    assertThat(cluster.nominated().victims()).extracting(PodRef::name).containsExactly("c");
  }

  @Test
  void podsOfAProtectedClass_areNobodysVictims() {
    cluster.upsert(
        priorityClass(
            "training", Map.of("sched.cloud.ctrip.com/preemption-policy", "NonPreemptible")));
    cluster.upsert(TestCluster.node("n1", "4"));
    cluster.upsert(ofClass(TestCluster.bound(TestCluster.pod("job", "3", 10), "n1"), "training"));

    cluster.upsert(TestCluster.pod("high", "3", 100));

    assertThat(cluster.unschedulable().message()).contains("No preemption victims found");
  }

  @Test
  void podsOfAProtectedClassPreemptLowerOnes() {
    cluster.upsert(
        priorityClass(
            "training", Map.of("sched.cloud.ctrip.com/preemption-policy", "NonPreemptible")));
    cluster.upsert(TestCluster.node("n1", "4"));
    cluster.upsert(TestCluster.bound(TestCluster.pod("low", "3", 0), "n1"));

    cluster.upsert(ofClass(TestCluster.pod("job", "3", 10), "training"));

    assertThat(cluster.nominated().victims()).extracting(PodRef::name).containsExactly("low");
  }

  @Test
  void theNamedPriorityAndAllAboveEvictPodsOfAProtectedClass() {
    cluster.upsert(
        priorityClass(
            "training",
            Map.of(
                "sched.cloud.ctrip.com/preemption-policy", "NonPreemptible",
                "sched.cloud.ctrip.com/preemptible-above", "1000")));
    cluster.upsert(TestCluster.node("n1", "4"));
    cluster.upsert(ofClass(TestCluster.bound(TestCluster.pod("job", "3", 10), "n1"), "training"));
    cluster.upsert(TestCluster.pod("online", "3", 999));
    cluster.unschedulable();

    cluster.upsert(TestCluster.pod("system", "3", 1000));

    assertThat(cluster.nominated().victims()).extracting(PodRef::name).containsExactly("job");
  }

  @Test
  void aClassThatLosesItsProtectionLetsThosePreemptWhoWait() {
    PriorityClass training =
        priorityClass(
            "training", Map.of("sched.cloud.ctrip.com/preemption-policy", "NonPreemptible"));
    cluster.upsert(training);
    cluster.upsert(TestCluster.node("n1", "4"));
    cluster.upsert(ofClass(TestCluster.bound(TestCluster.pod("job", "3", 10), "n1"), "training"));
    cluster.upsert(TestCluster.pod("high", "3", 100));
    cluster.unschedulable();

    cluster.upsert(priorityClass("training", Map.of()));

    assertThat(cluster.nominated().victims()).extracting(PodRef::name).containsExactly("job");
  }

  @Test
  void anExceptionThatIsNoNumberGrantsNothingAndIsReported() {
    assertThat(
            cluster.upsert(
                priorityClass(
                    "training",
                    Map.of(
                        "sched.cloud.ctrip.com/preemption-policy", "NonPreemptible",
                        "sched.cloud.ctrip.com/preemptible-above", "system"))))
        .get()
        .extracting(Refusal::reason)
        .asString()
        .contains("preemptible-above")
        .contains("\"system\"");
    cluster.upsert(TestCluster.node("n1", "4"));
    cluster.upsert(ofClass(TestCluster.bound(TestCluster.pod("job", "3", 10), "n1"), "training"));
    cluster.upsert(TestCluster.pod("high", "3", 100));

    assertThat(cluster.unschedulable().message()).contains("No preemption victims found");
  }
}
