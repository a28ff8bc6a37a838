package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.QueueState;
import io.berth.engine.api.WaitCause;
import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.QueueModel;
import io.berth.engine.model.ResourceAmounts;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClass;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Queues that count the devices of resource claims by their class. */
class QueueDevicesTest {
  private static final String GPUS = "gpu.deviceclass.resource.k8s.io/devices";
  private static final String ONE = "{'name':'g','exactly':{'deviceClassName':'gpu','count':%d}}";

  private final TestCluster cluster = new TestCluster();

  @BeforeEach
  void devices() {
    put(DeviceClass.class, "{'metadata':{'name':'gpu'},'spec':{}}");
    put(DeviceClass.class, "{'metadata':{'name':'nic'},'spec':{}}");
    cluster.upsert(TestCluster.node("n1", "64"));
    put(
        ResourceSlice.class,
        ("{'metadata':{'name':'s'},'spec':{'driver':'gpu.example.com','nodeName':'n1','pool':"
                + "{'name':'n1','generation':1,'resourceSliceCount':1},'devices':[%s]}}")
            .formatted(
                IntStream.range(0, 16)
                    .mapToObj(i -> "{'name':'gpu-" + i + "'}")
                    .collect(Collectors.joining(","))));
  }

  private <T extends HasMetadata> void put(Class<T> type, String json) {
    assertThat(cluster.upsert(read(type, json))).isEmpty();
  }

  private static <T> T read(Class<T> type, String json) {
    return Serialization.unmarshal(json.replace('\'', '"'), type);
  }

  private static ResourceClaim claim(String name, String requests, String status) {
    return read(
        ResourceClaim.class,
        ("{'metadata':{'name':'%s','namespace':'team','uid':'uid-%s'},'spec':{'devices':"
                + "{'requests':[%s]}}%s}")
            .formatted(name, name, requests, status));
  }

  private void claims(String name, String requests) {
    assertThat(cluster.upsert(claim(name, requests, ""))).isEmpty();
  }

  private void queue(String resource, long guarantee, long limit) {
    queue("team", resource, guarantee, limit);
  }

  private void queue(String name, String resource, long guarantee, long limit) {
    cluster.apply(
        new ClusterEvent.QueueUpserted(
            new QueueModel(
                name,
                "",
                ResourceAmounts.of(Map.of(resource, guarantee)),
                ResourceAmounts.of(Map.of(resource, limit)),
                1,
                0,
                Duration.ZERO,
                Set.of(name),
                LabelSelector.nothing())));
  }

  private static Pod pod(String name, String claim) {
    return TestCluster.withClaim(TestCluster.pod(name, "1", 0), claim);
  }

  private void place(String name, String claim) {
    cluster.upsert(pod(name, claim));
    cluster.apply(new ClusterEvent.BindingConfirmed(cluster.placed().pod()));
  }

  private long used() {
    return state().used().amountOf(GPUS);
  }

  private QueueState state() {
    return cluster.engine.queues().stream()
        .filter(queue -> queue.name().equals("team"))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void limit_countsTheDevicesOfClaims() {
    queue(GPUS, 0, 4);
    claims("a", ONE.formatted(3));
    claims("b", ONE.formatted(2));
    place("first", "a");
    assertThat(used()).isEqualTo(3);

    cluster.upsert(pod("second", "b"));
    assertThat(cluster.unschedulable())
        .satisfies(
            held -> {
              assertThat(held.cause()).isEqualTo(WaitCause.HELD_BY_QUEUE);
              assertThat(held.message())
                  .contains("queue team uses 3 of 4 " + GPUS + ", and the pod requests 2 more");
            });
    cluster.remove(pod("first", "a"));
    cluster.later(Duration.ofMinutes(1));
    assertThat(cluster.placed().pod().name()).isEqualTo("second");
    assertThat(used()).isEqualTo(2);
  }

  @Test
  void claimThatIsMadeAgainWithFewerDevices_lets_thePodStart() {
    queue(GPUS, 0, 4);
    claims("a", ONE.formatted(5));
    cluster.upsert(pod("first", "a"));
    assertThat(cluster.unschedulable().cause()).isEqualTo(WaitCause.HELD_BY_QUEUE);

    cluster.later(Duration.ofMinutes(1));
    cluster.remove(claim("a", ONE.formatted(5), ""));
    claims("a", ONE.formatted(4));
    assertThat(cluster.placed().pod().name()).isEqualTo("first");
    assertThat(used()).isEqualTo(4);
  }

  /** The numbers are those of Kubernetes' ResourceQuota, but for requests for all devices. */
  @Test
  void devices_areCountedByClass_andAlternativesByTheLargest() {
    queue(GPUS, 0, 100);
    claims(
        "mixed",
        ONE.formatted(2)
            + ",{'name':'n','exactly':{'deviceClassName':'nic','count':9}}"
            + ",{'name':'w','exactly':{'deviceClassName':'gpu','adminAccess':true,'count':9}}"
            + ",{'name':'f','firstAvailable':[{'name':'x','deviceClassName':'gpu','count':2},"
            + "{'name':'y','deviceClassName':'gpu','count':3},"
            + "{'name':'z','deviceClassName':'nic','count':9}]}");
    cluster.upsert(
        new PodBuilder(pod("first", "mixed")).editSpec().withNodeName("n1").endSpec().build());

    assertThat(used()).isEqualTo(5);
  }

  @Test
  void requestForAllDevices_countsThoseThatItHas() {
    queue(GPUS, 0, 100);
    String all = "{'name':'g','exactly':{'deviceClassName':'gpu','allocationMode':'All'}}";
    claims("all", all);
    cluster.upsert(
        new PodBuilder(pod("first", "all")).editSpec().withNodeName("n1").endSpec().build());
    assertThat(used()).isZero();

    String results =
        IntStream.range(0, 3)
            .mapToObj(
                i ->
                    "{'request':'g','driver':'gpu.example.com','pool':'n1','device':'gpu-%d'}"
                        .formatted(i))
            .collect(Collectors.joining(","));
    assertThat(
            cluster.upsert(
                claim(
                    "all",
                    all,
                    ",'status':{'allocation':{'devices':{'results':[" + results + "]}}}")))
        .isEmpty();
    assertThat(used()).isEqualTo(3);
  }

  @Test
  void sharedClaim_countsForEachOfItsPods() {
    queue(GPUS, 0, 100);
    claims("shared", ONE.formatted(2));
    for (String name : new String[] {"first", "second"}) {
      cluster.upsert(
          new PodBuilder(pod(name, "shared")).editSpec().withNodeName("n1").endSpec().build());
    }

    assertThat(used()).isEqualTo(4);
  }

  @Test
  void devicesOfClaims_areCoveredByGuarantees_butAreNoPartOfShares() {
    queue(GPUS, 2, 100);
    claims("a", ONE.formatted(2));
    claims("b", ONE.formatted(2));
    place("first", "a");
    assertThat(state().borrowed().amountOf(GPUS)).isZero();
    place("second", "b");

    assertThat(state().borrowed().amountOf(GPUS)).isEqualTo(2);
    assertThat(state().share()).isZero();
  }

  @Test
  void extendedResource_countsAsThePodNamesIt() {
    String resource = "deviceclass.resource.kubernetes.io/gpu";
    queue(resource, 0, 1);
    Pod pod = TestCluster.pod("first", "1", 0);
    Map<String, io.fabric8.kubernetes.api.model.Quantity> requests =
        new HashMap<>(pod.getSpec().getContainers().getFirst().getResources().getRequests());
    requests.put(resource, new io.fabric8.kubernetes.api.model.Quantity("2"));
    pod.getSpec().getContainers().getFirst().getResources().setRequests(requests);
    cluster.upsert(pod);

    assertThat(cluster.unschedulable().message())
        .contains("queue team uses 0 of 1 " + resource + ", and the pod requests 2 more");
  }
}
