package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.kube.KubeEvents;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClass;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** DeviceTaintRules, which taint devices beside their drivers. */
class DeviceTaintRulesTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final TestCluster cluster =
      new TestCluster(EngineOptions.defaults().withTieOrder(EngineOptions.TieOrder.BY_NAME));

  /** Two nodes with a pool of two devices each. */
  @BeforeEach
  void hasDevices() {
    put(DeviceClass.class, "{'metadata':{'name':'gpu'},'spec':{}}");
    slice("n1", "");
    slice("n2", "");
  }

  private static <T> T read(Class<T> type, String json) {
    try {
      return JSON.readValue(json.replace('\'', '"'), type);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(json, e);
    }
  }

  private <T extends HasMetadata> void put(Class<T> type, String json) {
    assertThat(cluster.upsert(read(type, json))).isEmpty();
  }

  private void slice(String node, String taints) {
    cluster.upsert(TestCluster.node(node, "8"));
    put(
        ResourceSlice.class,
        """
        {'metadata':{'name':'%s-gpus'},'spec':{'driver':'gpu.example.com','nodeName':'%s',
        'pool':{'name':'%s','generation':1,'resourceSliceCount':1},
        'devices':[{'name':'gpu-0'%s},{'name':'gpu-1'%s}]}}
        """
            .formatted(node, node, node, taints, taints));
  }

  private static GenericKubernetesResource rule(String name, String spec) {
    return read(
        GenericKubernetesResource.class,
        """
        {'apiVersion':'resource.k8s.io/v1','kind':'DeviceTaintRule','metadata':{'name':'%s'},
        'spec':{%s}}
        """
            .formatted(name, spec));
  }

  /** Applies a rule with the taint {@code broken=yes}. */
  private void taint(String name, String selector, String effect) {
    ClusterEvent event =
        new KubeEvents()
            .taintRuleUpserted(
                rule(
                    name,
                    "%s'taint':{'key':'broken','value':'yes','effect':'%s'}"
                        .formatted(selector, effect)));
    assertThat(event).isInstanceOf(ClusterEvent.DevicesUpserted.class);
    cluster.apply(event);
  }

  private void removeRule(String name) {
    cluster.apply(new KubeEvents().taintRuleRemoved(rule(name, "")));
  }

  /** Creates a pod with a claim for one device. */
  private void pod(String name, String tolerations) {
    put(
        ResourceClaim.class,
        """
        {'metadata':{'name':'%s-g','namespace':'team','uid':'uid-%s-g'},
        'spec':{'devices':{'requests':[{'name':'g',
        'exactly':{'deviceClassName':'gpu'%s}}]}}}
        """
            .formatted(name, name, tolerations));
    assertThat(cluster.upsert(TestCluster.withClaim(TestCluster.pod(name, "1", 0), name + "-g")))
        .isEmpty();
  }

  private String placed(String name) {
    pod(name, "");
    return cluster.placed().nodeName();
  }

  @ParameterizedTest
  @CsvSource({
    "'{}'",
    "'{''driver'':''gpu.example.com''}'",
    "'{''driver'':''gpu.example.com'',''pool'':''n1''}'",
    "'{''pool'':''n1''}'"
  })
  void selectedDevices_areNotAllocated(String selector) {
    taint("r", "'deviceSelector':" + selector + ",", "NoSchedule");
    pod("a", "");

    if (selector.contains("n1")) {
      assertThat(cluster.placed().nodeName()).isEqualTo("n2");
    } else {
      assertThat(cluster.unschedulable().message())
          .startsWith("0/2 nodes are available: 2 cannot allocate all claims.");
    }
  }

  @Test
  void oneDevice_isTainted_andTheOthersAreNot() {
    taint(
        "r",
        "'deviceSelector':{'driver':'gpu.example.com','pool':'n1','device':'gpu-0'},",
        "NoExecute");
    taint("other-node", "'deviceSelector':{'pool':'n2'},", "NoSchedule");

    assertThat(placed("a")).isEqualTo("n1");
    pod("b", "");
    assertThat(cluster.next()).isInstanceOf(Decision.Unschedulable.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "'deviceSelector':{'driver':'other.example.com'},",
        "'deviceSelector':{'pool':'n3'},",
        "'deviceSelector':{'pool':'n1','device':'gpu-2'},",
        // Without a selector, a rule concerns no device, as documented.
        ""
      })
  void otherDevices_areNotTainted(String selector) {
    taint("r", selector, "NoSchedule");

    assertThat(placed("a")).isEqualTo("n1");
  }

  @Test
  void effectNone_keepsNobodyAway() {
    taint("r", "'deviceSelector':{},", "None");

    assertThat(placed("a")).isEqualTo("n1");
  }

  @Test
  void toleratedTaint_keepsNobodyAway() {
    taint("r", "'deviceSelector':{},", "NoSchedule");
    pod("a", ",'tolerations':[{'key':'broken','operator':'Exists'}]");

    assertThat(cluster.placed().nodeName()).isEqualTo("n1");
  }

  @Test
  void taintsOfDriverAndRules_addUp() {
    slice("n1", ",'taints':[{'key':'hot','effect':'NoSchedule'}]");
    taint("r", "'deviceSelector':{},", "NoSchedule");
    pod("a", ",'tolerations':[{'key':'broken','operator':'Exists'}]");
    assertThat(cluster.placed().nodeName()).isEqualTo("n2");

    pod("b", ",'tolerations':[{'key':'hot','operator':'Exists'}]");
    assertThat(cluster.next()).isInstanceOf(Decision.Unschedulable.class);
  }

  @Test
  void ruleTaintsDevices_thatArePublishedLater() {
    taint("r", "'deviceSelector':{'driver':'gpu.example.com'},", "NoSchedule");
    slice("n3", "");
    pod("a", "");

    assertThat(cluster.next()).isInstanceOf(Decision.Unschedulable.class);
  }

  @Test
  void removedRule_wakesPodsThatWaited() {
    taint("r", "'deviceSelector':{},", "NoSchedule");
    pod("a", "");
    assertThat(cluster.next()).isInstanceOf(Decision.Unschedulable.class);

    removeRule("r");
    cluster.later(Duration.ofSeconds(10));

    assertThat(cluster.placed().nodeName()).isEqualTo("n1");
  }

  @Test
  void ruleThatSelectsLess_wakesPodsThatWaited() {
    taint("r", "'deviceSelector':{},", "NoSchedule");
    pod("a", "");
    assertThat(cluster.next()).isInstanceOf(Decision.Unschedulable.class);

    taint("r", "'deviceSelector':{'pool':'n1'},", "NoSchedule");
    cluster.later(Duration.ofSeconds(10));

    assertThat(cluster.placed().nodeName()).isEqualTo("n2");
  }

  @Test
  void twoRules_areIndependent() {
    taint("r", "'deviceSelector':{},", "NoSchedule");
    taint("s", "'deviceSelector':{'pool':'n1'},", "NoSchedule");
    removeRule("r");

    assertThat(placed("a")).isEqualTo("n2");
  }

  @ParameterizedTest
  @CsvSource({
    "'''taint'':{''effect'':''NoSchedule''}', spec.taint.key is missing",
    "'''taint'':{''key'':''broken''}', spec.taint.effect is missing",
    "'''deviceSelector'':{''pool'':7},''taint'':{''key'':''k'',''effect'':''None''}', "
        + "spec.deviceSelector.pool is not a string: 7"
  })
  void malformedRule_isRefused_withItsField(String spec, String reason) {
    ClusterEvent event = new KubeEvents().taintRuleUpserted(rule("r", spec));

    assertThat(((ClusterEvent.Malformed) event).refusal())
        .extracting("kind", "name", "reason")
        .containsExactly("DeviceTaintRule", "r", reason);
  }
}
