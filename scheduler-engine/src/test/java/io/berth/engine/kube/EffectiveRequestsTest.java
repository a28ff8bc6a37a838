package io.berth.engine.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.engine.quantity.ExactQuantity;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class EffectiveRequestsTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  private static EffectiveRequests of(String json) {
    try {
      return new EffectiveRequests(JSON.readValue(json.replace('\'', '"'), Pod.class));
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }

  private static Map<String, Long> rounded(Map<String, ExactQuantity> amounts) {
    Map<String, Long> result = new TreeMap<>();
    amounts.forEach(
        (name, amount) -> result.put(name, name.equals("cpu") ? amount.millis() : amount.units()));
    return result;
  }

  private static String container(String name, String requests) {
    return "{'name':'" + name + "','resources':{'requests':{" + requests + "}}}";
  }

  private static String sidecar(String name, String requests) {
    return container(name, requests).replaceFirst("\\{", "{'restartPolicy':'Always',");
  }

  @Test
  void containers_addUp_andAreRoundedOnce() {
    EffectiveRequests requests =
        of(
            "{'spec':{'containers':["
                + container("a", "'cpu':'0.3m','memory':'100m'")
                + ","
                + container("b", "'cpu':'0.3m','nvidia.com/gpu':'2'")
                + "]}}");

    assertThat(rounded(requests.asked()))
        .isEqualTo(Map.of("cpu", 1L, "memory", 1L, "nvidia.com/gpu", 2L));
  }

  @Test
  void initContainers_countByTheLargest() {
    EffectiveRequests requests =
        of(
            "{'spec':{'initContainers':["
                + container("i", "'cpu':'2','memory':'1G'")
                + ","
                + container("j", "'cpu':'2','memory':'3G'")
                + "],'containers':["
                + container("a", "'cpu':'2','memory':'1G'")
                + ","
                + container("b", "'cpu':'1','memory':'1G'")
                + "]}}");

    assertThat(rounded(requests.asked())).isEqualTo(Map.of("cpu", 3000L, "memory", 3_000_000_000L));
  }

  @Test
  void sidecars_countWithWhatStartsAfterThemAndWithTheContainers() {
    EffectiveRequests requests =
        of(
            "{'spec':{'initContainers':["
                + container("before", "'cpu':'5'")
                + ","
                + sidecar("s1", "'cpu':'1'")
                + ","
                + container("between", "'cpu':'7'")
                + ","
                + sidecar("s2", "'cpu':'2'")
                + "],'containers':["
                + container("a", "'cpu':'4'")
                + "]}}");

    assertThat(rounded(requests.asked())).isEqualTo(Map.of("cpu", 8000L));
  }

  @Test
  void sidecarsAndContainers_outweighAnEarlyInitContainer() {
    EffectiveRequests requests =
        of(
            "{'spec':{'initContainers':["
                + container("before", "'cpu':'5'")
                + ","
                + sidecar("s", "'cpu':'2'")
                + "],'containers':["
                + container("a", "'cpu':'4'")
                + "],'overhead':{'cpu':'250m','memory':'1Mi'}}}");

    assertThat(rounded(requests.asked())).isEqualTo(Map.of("cpu", 6250L, "memory", 1L << 20));
  }

  @Test
  void podLevelRequests_replaceTheSums_ofWhatCountsAtPodLevelOnly() {
    EffectiveRequests requests =
        of(
            "{'spec':{'resources':{'requests':{'cpu':'3','hugepages-2Mi':'4Mi','nvidia.com/gpu':'9'}},"
                + "'containers':["
                + container("a", "'cpu':'1','memory':'1Mi','nvidia.com/gpu':'1'")
                + "]}}");

    assertThat(rounded(requests.asked()))
        .isEqualTo(
            Map.of(
                "cpu", 3000L, "memory", 1L << 20, "hugepages-2Mi", 4L << 20, "nvidia.com/gpu", 1L));
  }

  @Test
  void podLevelRequests_areLeftOut_whereTheIncomingPodIsScored() {
    EffectiveRequests requests =
        of(
            "{'spec':{'resources':{'requests':{'cpu':'9','hugepages-2Mi':'4Mi'}},'containers':["
                + container("a", "'cpu':'1','nvidia.com/gpu':'2'")
                + "]}}");

    assertThat(requests.hasPodLevelRequests()).isTrue();
    assertThat(rounded(requests.scored())).isEqualTo(Map.of("cpu", 1000L, "nvidia.com/gpu", 2L));
    assertThat(rounded(requests.asked())).containsEntry("hugepages-2Mi", 4L << 20);
  }

  @Test
  void podLevelRequestsOfNothingThatCountsThere_areIgnored() {
    EffectiveRequests requests =
        of(
            "{'spec':{'resources':{'requests':{'nvidia.com/gpu':'9'}},'containers':["
                + container("a", "'cpu':'1'")
                + "]}}");

    assertThat(rounded(requests.asked())).isEqualTo(Map.of("cpu", 1000L));
  }

  @Test
  void defaults_standInPerContainer_andNotForAnExplicitZero() {
    EffectiveRequests requests =
        of(
            "{'spec':{'containers':["
                + container("a", "'cpu':'0'")
                + ","
                + container("b", "'memory':'1Mi'")
                + "]}}");

    Map<String, Long> expected = Map.of("cpu", 100L, "memory", (200L << 20) + (1L << 20));
    assertThat(rounded(requests.scoredWithDefaults())).isEqualTo(expected);
    assertThat(rounded(requests.heldWithDefaults(requests.held()))).isEqualTo(expected);
    assertThat(rounded(requests.held())).isEqualTo(Map.of("cpu", 0L, "memory", 1L << 20));
  }

  @Test
  void defaults_withPodLevelRequests_standInOnTheNodeOnlyForWhatNothingNames() {
    EffectiveRequests requests =
        of(
            "{'spec':{'resources':{'requests':{'cpu':'1'}},'containers':["
                + container("a", "'memory':'1Mi'")
                + ","
                + container("b", "")
                + "]}}");

    assertThat(rounded(requests.heldWithDefaults(requests.held())))
        .isEqualTo(Map.of("cpu", 1000L, "memory", 1L << 20));
    assertThat(rounded(requests.scoredWithDefaults()))
        .isEqualTo(Map.of("cpu", 200L, "memory", (1L << 20) + (200L << 20)));
  }

  @Test
  void resize_holdsTheLargestOfWantedAllocatedAndRunning() {
    String pod =
        "{'spec':{'containers':["
            + container("a", "'cpu':'1','memory':'5Mi'")
            + "]},'status':{%s'containerStatuses':[{'name':'a','allocatedResources':{'cpu':'3'},"
            + "'resources':{'requests':{'cpu':'2','memory':'4Mi'}}}]}}";

    assertThat(rounded(of(String.format(pod, "")).held()))
        .isEqualTo(Map.of("cpu", 3000L, "memory", 5L << 20));
    assertThat(rounded(of(String.format(pod, "")).asked()))
        .isEqualTo(Map.of("cpu", 1000L, "memory", 5L << 20));
    String infeasible = "'conditions':[{'type':'PodResizePending','reason':'Infeasible'}],";
    assertThat(rounded(of(String.format(pod, infeasible)).held()))
        .isEqualTo(Map.of("cpu", 3000L, "memory", 4L << 20));
  }

  @Test
  void resize_ofASidecarCounts_butNotOfAnInitContainerThatEnds() {
    String statuses =
        "'initContainerStatuses':[{'name':'i','resources':{'requests':{'cpu':'9'}}},"
            + "{'name':'s','resources':{'requests':{'cpu':'2'}}}]";
    EffectiveRequests requests =
        of(
            "{'spec':{'initContainers':["
                + container("i", "'cpu':'1'")
                + ","
                + sidecar("s", "'cpu':'1'")
                + "],'containers':["
                + container("a", "'cpu':'1'")
                + "]},'status':{"
                + statuses
                + "}}");

    assertThat(rounded(requests.held())).isEqualTo(Map.of("cpu", 3000L));
  }

  @Test
  void resizeAtPodLevel_holdsTheLargest() {
    EffectiveRequests requests =
        of(
            "{'spec':{'resources':{'requests':{'cpu':'1','memory':'1Mi'}},'containers':["
                + container("a", "")
                + "]},'status':{'resources':{'requests':{'cpu':'2'}},"
                + "'allocatedResources':{'memory':'3Mi'}}}");

    assertThat(rounded(requests.held())).isEqualTo(Map.of("cpu", 2000L, "memory", 3L << 20));
  }

  @Test
  void anAmountThatIsNone_isRefusedWithItsPlace() {
    EffectiveRequests requests =
        of("{'spec':{'containers':[" + container("a", "'cpu':'-1'") + "]}}");

    assertThatThrownBy(requests::asked)
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("spec.containers[a].resources.requests.cpu")
        .hasMessageContaining("negative");
  }
}
