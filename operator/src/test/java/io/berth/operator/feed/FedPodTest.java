package io.berth.operator.feed;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.kube.KubeEvents;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import org.junit.jupiter.api.Test;

/** The properties of pods that bindings select by. */
class FedPodTest {

  private static FedPod pod(String spec) {
    Pod pod =
        Serialization.unmarshal(
            """
            apiVersion: v1
            kind: Pod
            metadata:
              name: agent-x7k2p
              generateName: agent-
              namespace: team-a
              uid: u1
              labels: {app: agent}
              annotations: {sched.cloud.ctrip.com/policy: online, note: mine}
              ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: agent, uid: d1, controller: true}]
            spec:
              schedulerName: berth
              containers: [{name: main, image: busybox}]
              %s
            status: {phase: Pending}
            """
                .formatted(spec),
            Pod.class);
    return FedPod.of(pod, new KubeEvents().upserted(pod));
  }

  private static String pinnedTo(String node) {
    return "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution:"
        + " {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: ["
        + node
        + "]}]}]}}}";
  }

  @Test
  void aPinnedPodWithADaemonSetAsController_isOneOfADaemonSet() {
    assertThat(pod(pinnedTo("n1")).subject().isOfDaemonSet()).isTrue();
  }

  @Test
  void anOwnerReferenceThatAnybodyMayWrite_makesNoPodOneOfADaemonSet() {
    assertThat(pod("").subject().isOfDaemonSet()).isFalse();
  }

  @Test
  void bindingsSeeTheLabelsAndBerthsAnnotations() {
    assertThat(pod("").subject().baseName()).isEqualTo("agent-");
    assertThat(pod("").subject().labels()).containsEntry("app", "agent");
    assertThat(pod("").subject().annotations()).containsOnlyKeys("sched.cloud.ctrip.com/policy");
    assertThat(pod("").subject().schedulerName()).isEqualTo("berth");
  }

  @Test
  void labelsThatAreNull_areNone() {
    Pod pod =
        Serialization.unmarshal(
            """
            apiVersion: v1
            kind: Pod
            metadata: {name: a, namespace: team-a, uid: u1, labels: null}
            """,
            Pod.class);

    assertThat(FedPod.of(pod, new KubeEvents().upserted(pod)).subject().labels()).isEmpty();
  }
}
