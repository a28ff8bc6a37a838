package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.engine.api.Decision;
import io.berth.engine.api.Idle;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClass;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes whose devices a device plugin counts, and a driver publishes for claims too. */
class SingleDeviceSourceTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String IN_CLAIMS =
      "1 node(s) had devices of class gpu in claims, which a device plugin counts as"
          + " example.com/gpu too";
  private static final String COUNTED =
      "1 node(s) had pods with example.com/gpu, which a device plugin counts for devices of class"
          + " gpu";

  private final TestCluster cluster = new TestCluster();

  @BeforeEach
  void publish() {
    put(
        DeviceClass.class,
        "{'metadata':{'name':'gpu'},'spec':{'extendedResourceName':'example.com/gpu','selectors':"
            + "[{'cel':{'expression':'device.driver == \\'gpu.example.com\\''}}]}}");
    put(DeviceClass.class, "{'metadata':{'name':'any'},'spec':{}}");
    cluster.upsert(counting("n1", "2"));
    slice("gpus", "gpu.example.com");
  }

  private <T extends HasMetadata> void put(Class<T> type, String json) {
    try {
      String text = json.replace("\\'", "\u0001").replace('\'', '"').replace('\u0001', '\'');
      assertThat(cluster.upsert(JSON.readValue(text, type))).isEmpty();
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(json, e);
    }
  }

  private static Node counting(String name, String amount) {
    return new NodeBuilder(TestCluster.node(name, "16"))
        .editStatus()
        .addToAllocatable("example.com/gpu", new Quantity(amount))
        .endStatus()
        .build();
  }

  private void slice(String name, String driver) {
    put(
        ResourceSlice.class,
        ("{'metadata':{'name':'%s'},'spec':{'driver':'%s','nodeName':'n1','pool':{'name':'%s',"
             + "'generation':1,'resourceSliceCount':1},'devices':[{'name':'d0'},{'name':'d1'}]}}")
            .formatted(name, driver, name));
  }

  private void claim(String name, String deviceClass) {
    put(
        ResourceClaim.class,
        ("{'metadata':{'name':'%s','namespace':'team','uid':'uid-%s'},'spec':{'devices':{'requests':"
             + "[{'name':'g','exactly':{'deviceClassName':'%s','count':1}}]}}}")
            .formatted(name, name, deviceClass));
  }

  private static Pod claiming(String name, String claim) {
    return TestCluster.withClaim(TestCluster.pod(name, "1", 0), claim);
  }

  private static Pod counted(Pod pod) {
    return new PodBuilder(pod)
        .editSpec()
        .editFirstContainer()
        .editResources()
        .addToRequests("example.com/gpu", new Quantity("1"))
        .endResources()
        .endContainer()
        .endSpec()
        .build();
  }

  private static Pod counted(String name) {
    return counted(TestCluster.pod(name, "1", 0));
  }

  @Test
  void aNodeWithCountedDevicesInUse_givesNoneByClaim_untilTheyAreFree() {
    cluster.upsert(counted("plugin"));
    cluster.placed();
    claim("mine", "gpu");
    cluster.upsert(claiming("claimer", "mine"));
    assertThat(cluster.unschedulable().message()).contains(COUNTED);

    cluster.remove(counted("plugin"));
    cluster.later(Duration.ofSeconds(10));
    assertThat(cluster.placed().nodeName()).isEqualTo("n1");
  }

  @Test
  void aNodeWithDevicesInClaims_countsNone_alsoWhileTheAllocationIsInFlight() {
    claim("mine", "gpu");
    cluster.upsert(claiming("claimer", "mine"));
    cluster.placed();

    cluster.upsert(counted("plugin"));
    assertThat(cluster.unschedulable().message()).contains(IN_CLAIMS);
  }

  @Test
  void anotherClassThatSelectsTheSameDevices_isHeldBackToo() {
    cluster.upsert(counted("plugin"));
    cluster.placed();
    claim("mine", "any");
    cluster.upsert(claiming("claimer", "mine"));

    assertThat(cluster.unschedulable().message()).contains(COUNTED);
  }

  @Test
  void devicesOfAnotherDriver_areGivenBesideCountedOnes() {
    put(
        DeviceClass.class,
        "{'metadata':{'name':'nic'},'spec':{'selectors':"
            + "[{'cel':{'expression':'device.driver == \\'nic.example.com\\''}}]}}");
    slice("nics", "nic.example.com");
    cluster.upsert(counted("plugin"));
    cluster.placed();
    claim("mine", "nic");
    cluster.upsert(claiming("claimer", "mine"));
    cluster.placed();

    cluster.upsert(counted("second"));
    assertThat(cluster.placed().nodeName()).isEqualTo("n1");
  }

  @Test
  void aPodThatAsksForBoth_getsThemOnNoNodeThatOffersThemTwice() {
    claim("mine", "gpu");
    cluster.upsert(counted(claiming("both", "mine")));

    assertThat(cluster.unschedulable().message()).contains(IN_CLAIMS);
  }

  @Test
  void withoutTheResourceInAClass_nothingLinksThem() {
    put(DeviceClass.class, "{'metadata':{'name':'gpu'},'spec':{}}");
    cluster.upsert(counted("plugin"));
    cluster.placed();
    claim("mine", "gpu");
    cluster.upsert(claiming("claimer", "mine"));

    assertThat(cluster.placed().nodeName()).isEqualTo("n1");
  }

  @Test
  void aNodeWhosePluginStops_servesClaims_andACounterThatComesLaterEndsThat() {
    cluster.upsert(counted("plugin"));
    cluster.placed();
    claim("mine", "gpu");
    cluster.upsert(claiming("claimer", "mine"));
    assertThat(cluster.unschedulable().message()).contains(COUNTED);

    cluster.upsert(counting("n1", "0"));
    cluster.later(Duration.ofSeconds(10));
    assertThat(cluster.placed().nodeName()).isEqualTo("n1");
  }

  private static Pod requesting(Pod pod, String resource) {
    return new PodBuilder(pod)
        .editSpec()
        .editFirstContainer()
        .editResources()
        .addToRequests(resource, new Quantity("1"))
        .endResources()
        .endContainer()
        .endSpec()
        .build();
  }

  /** The class also serves its devices by a resource that no device plugin counts. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "deviceclass.resource.kubernetes.io/gpu",
        "deviceclass.resource.kubernetes.io/any",
        "example.com/other"
      })
  void aPodThatGetsDevicesByAnotherResource_countsAsOneWithAClaim(String resource) {
    put(
        DeviceClass.class,
        "{'metadata':{'name':'other'},'spec':{'extendedResourceName':'example.com/other'}}");
    cluster.upsert(requesting(counted("both"), resource));
    assertThat(cluster.unschedulable().message()).contains(IN_CLAIMS);

    cluster.upsert(counted("plugin"));
    cluster.placed();
    cluster.upsert(requesting(TestCluster.pod("served", "1", 0), resource));
    assertThat(cluster.unschedulable().message()).contains(COUNTED);

    cluster.remove(counted("plugin"));
    cluster.remove(counted("both"));
    cluster.later(Duration.ofSeconds(10));
    assertThat(cluster.placed().pod().name()).isEqualTo("served");
  }

  @Test
  void onlyPodsThatUseDevices_wakeThoseThatWait() {
    cluster.upsert(counted("plugin"));
    cluster.placed();
    Pod other = TestCluster.pod("other", "1", 0);
    cluster.upsert(other);
    cluster.placed();
    claim("mine", "gpu");
    cluster.upsert(claiming("claimer", "mine"));
    cluster.unschedulable();

    cluster.remove(other);
    cluster.later(Duration.ofSeconds(10));
    assertThat(cluster.next()).isInstanceOf(Idle.class);

    cluster.remove(counted("plugin"));
    assertThat(cluster.placed().pod().name()).isEqualTo("claimer");
  }

  @Test
  void comparisonsOfDevicesWithClasses_countAsStepsOfTheAttempt() {
    put(
        DeviceClass.class,
        "{'metadata':{'name':'gpu'},'spec':{'extendedResourceName':'example.com/gpu','selectors':"
            + "[{'cel':{'expression':'device.driver == \\'absent.example.com\\''}}]}}");
    for (int i = 0; i < 300; i++) {
      slice("nics-" + i, "nic.example.com");
    }
    claim("mine", "any");
    cluster.upsert(claiming("claimer", "mine"));
    cluster.engine.state().work().limitTo(500, 0);
    assertThat(cluster.decision()).isInstanceOf(Decision.Quarantined.class);

    cluster.engine.state().work().limitTo(5_000, 0);
    cluster.later(Duration.ofSeconds(10));
    assertThat(cluster.placed().nodeName()).isEqualTo("n1");
  }
}
