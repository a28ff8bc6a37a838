package io.berth.operator.feed;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.kube.KubeEvents;
import io.berth.engine.model.GroupDialect;
import io.berth.engine.model.GroupRef;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Groups whose objects are served in two API versions, as while API servers are updated. */
class GroupObjectsTest {

  private final GroupObjects objects = new GroupObjects(GroupDialect.KUBERNETES, new KubeEvents());
  private final KindCache<GenericKubernetesResource, GenericKubernetesResource> newer =
      objects.addVersion();
  private final KindCache<GenericKubernetesResource, GenericKubernetesResource> older =
      objects.addVersion();

  private final List<ClusterEvent> events = new ArrayList<>();

  @BeforeEach
  void subscribe() {
    newer.subscribe(events::add);
    older.subscribe(events::add);
  }

  private static GenericKubernetesResource group(String version, int minCount) {
    return Serialization.unmarshal(
        """
        apiVersion: scheduling.k8s.io/%s
        kind: PodGroup
        metadata: {namespace: team, name: train, uid: u, resourceVersion: "%d"}
        spec: {schedulingPolicy: {gang: {minCount: %d}}}
        """
            .formatted(version, minCount, minCount),
        GenericKubernetesResource.class);
  }

  private int minimumInTheLastEvent() {
    return ((ClusterEvent.PodGroupUpserted) events.getLast()).group().minMember();
  }

  private Map<String, Object> found() {
    return Map.of(
        "version",
        objects
            .find(new GroupRef(GroupDialect.KUBERNETES, "team", "train"))
            .orElseThrow()
            .getApiVersion());
  }

  @Test
  void groupExists_untilItsObjectIsGoneInBothVersions() {
    older.put(group("v1alpha2", 3));
    newer.put(group("v1beta1", 3));

    older.remove(group("v1alpha2", 3));
    assertThat(minimumInTheLastEvent()).isEqualTo(3);

    newer.remove(group("v1beta1", 3));
    assertThat(events.getLast()).isInstanceOf(ClusterEvent.PodGroupRemoved.class);
  }

  @Test
  void newerVersionHasPrecedence() {
    newer.put(group("v1beta1", 4));
    older.put(group("v1alpha2", 3));

    assertThat(minimumInTheLastEvent()).isEqualTo(4);
    assertThat(found()).containsEntry("version", "scheduling.k8s.io/v1beta1");
  }
}
