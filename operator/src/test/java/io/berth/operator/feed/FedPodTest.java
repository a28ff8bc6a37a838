package io.berth.operator.feed;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.kube.KubeEvents;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import org.junit.jupiter.api.Test;

/** Pods as bindings see them. */
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
  void a_pinned_pod_with_a_daemon_set_as_controller_is_one_of_a_daemon_set() {
    assertThat(pod(pinnedTo("n1")).subject().isOfDaemonSet()).isTrue();
  }

  @Test
  void an_owner_reference_that_anybody_may_write_makes_no_pod_one_of_a_daemon_set() {
    assertThat(pod("").subject().isOfDaemonSet()).isFalse();
  }

  @Test
  void bindings_see_the_labels_and_berths_annotations() {
    assertThat(pod("").subject().baseName()).isEqualTo("agent-");
    assertThat(pod("").subject().labels()).containsEntry("app", "agent");
    assertThat(pod("").subject().annotations()).containsOnlyKeys("sched.cloud.ctrip.com/policy");
    assertThat(pod("").subject().schedulerName()).isEqualTo("berth");
  }
}
