package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.devices.ClaimAllocation;
import io.berth.engine.model.PodRef;
import io.berth.engine.model.PreBindStep;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClass;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Claims that several pods use, and that outlive them. */
class SharedClaimsTest {
  private final TestCluster cluster =
      new TestCluster(EngineOptions.defaults().withTieOrder(EngineOptions.TieOrder.BY_NAME));
  private final Map<String, Decision.Placed> placed = new TreeMap<>();

  @BeforeEach
  void hasAClass() {
    cluster.put(DeviceClass.class, "{'metadata':{'name':'gpu'},'spec':{}}");
  }

  private void node(String name, int devices) {
    cluster.upsert(TestCluster.node(name, "2"));
    cluster.slice(name, devices);
  }

  private void claim(String name, String status) {
    cluster.put(
        ResourceClaim.class,
        ("{'metadata':{'name':'%s','namespace':'team','uid':'uid-%s'},'spec':"
             + "{'devices':{'requests':[{'name':'g','exactly':{'deviceClassName':'gpu','count':1}}]}}%s}")
            .formatted(name, name, status));
  }

  /** Returns a pod that requests a CPU, of which each node has two, and uses a claim. */
  private static PodBuilder pod(String name, String claim) {
    return new PodBuilder(TestCluster.pod(name, "1", 0))
        .editSpec()
        .addNewResourceClaim()
        .withName("g")
        .withResourceClaimName(claim)
        .endResourceClaim()
        .endSpec();
  }

  private static Pod member(String name, String claim, int minimum) {
    return pod(name, claim)
        .editMetadata()
        .addToAnnotations("sched.cloud.ctrip.com/group", "train")
        .addToAnnotations("sched.cloud.ctrip.com/group-min", String.valueOf(minimum))
        .endMetadata()
        .build();
  }

  /** Lets all pods be tried again that may be, after any pause. */
  private void decide() {
    cluster.later(Duration.ofSeconds(30));
    cluster.decideAll(
        1_000,
        decided -> {
          if (decided instanceof Decision.Placed decision) {
            placed.put(decision.pod().name(), decision);
          }
        });
  }

  private List<ClaimAllocation> stepsOf(String pod) {
    return PreBindStep.ofType(placed.get(pod).preBind(), ClaimAllocation.class);
  }

  @Test
  void aGroupThatSharesAClaim_isPlacedWhereItsDevicesAre() {
    node("n1", 1);
    node("n2", 1);
    claim("shared", "");
    cluster.upsert(member("a", "shared", 2));
    cluster.upsert(member("b", "shared", 2));

    decide();

    assertThat(placed).containsOnlyKeys("a", "b");
    assertThat(placed.get("a").nodeName()).isEqualTo(placed.get("b").nodeName());
    assertThat(stepsOf("a")).hasSize(1).isEqualTo(stepsOf("b"));
    assertThat(stepsOf("a").getFirst().allocation()).isPresent();
  }

  @Test
  void aGroupThatDoesNotFitBesideTheDevicesOfItsClaim_holdsNone() {
    node("n1", 1);
    claim("shared", "");
    for (String name : List.of("a", "b", "c")) {
      cluster.upsert(member(name, "shared", 3));
    }
    decide();
    assertThat(placed).isEmpty();

    claim("own", "");
    cluster.upsert(pod("alone", "own").build());
    decide();

    assertThat(placed).containsOnlyKeys("alone");
  }

  @Test
  void devicesOfAGroup_areFree_whenTheBindingsOfAllMembersHaveFailed() {
    node("n1", 1);
    claim("shared", "");
    cluster.upsert(member("a", "shared", 2));
    cluster.upsert(member("b", "shared", 2));
    decide();
    claim("own", "");
    cluster.upsert(pod("alone", "own").build());

    cluster.apply(new ClusterEvent.BindingFailed(placed.get("a").pod(), "test", false));
    decide();
    assertThat(placed).as("b may have written the devices").doesNotContainKey("alone");

    cluster.apply(new ClusterEvent.BindingFailed(placed.get("b").pod(), "test", false));
    decide();
    assertThat(placed).containsKey("alone");
  }

  /** Returns a pod that is deleted in flight; the pod {@code next} needs the device, too. */
  private PodRef deletedWhileTheOnlyDeviceIsWrittenForIt() {
    node("n1", 1);
    claim("first", "");
    cluster.upsert(pod("gone", "first").build());
    decide();
    PodRef gone = placed.get("gone").pod();
    claim("second", "");
    cluster.upsert(pod("next", "second").build());
    cluster.apply(new ClusterEvent.PodRemoved(gone));
    return gone;
  }

  @Test
  void devicesOfAPodThatIsDeletedWhileTheyAreWritten_areFreeWhenItsBindingHasFailed() {
    PodRef gone = deletedWhileTheOnlyDeviceIsWrittenForIt();
    decide();
    assertThat(placed).as("its claim may get the device").doesNotContainKey("next");

    cluster.apply(new ClusterEvent.BindingFailed(gone, "pods \"gone\" not found", false));
    decide();
    assertThat(placed).containsKey("next");
  }

  @Test
  void devicesOfAPodThatWasBoundAndIsDeletedSince_areThoseOfItsClaim() {
    PodRef gone = deletedWhileTheOnlyDeviceIsWrittenForIt();
    cluster.apply(new ClusterEvent.BindingConfirmed(gone));
    decide();
    assertThat(placed).as("the claim will show the device").doesNotContainKey("next");

    claim(
        "first",
        ",'status':{'allocation':{'devices':{'results':[{'request':'g','driver':'gpu.example.com',"
            + "'pool':'n1','device':'gpu-0'}]}}}");
    claim("first", "");
    decide();
    assertThat(placed).as("and that it has none any more").containsKey("next");
  }
}
