package io.berth.demo.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.demo.ground.BerthGround;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The stories of the samples about devices by claim, on nodes with eight simulated cards each. */
final class DeviceStories {
  private static final String API = "resource.k8s.io/v1";

  private DeviceStories() {}

  static Story claim() {
    return new Story.Steps()
        .then(
            "kubectl get deviceclasses",
            g ->
                assertThat(names(g, "DeviceClass"))
                    .contains("gpu.nvidia.com", "mig.nvidia.com", "shared-gpu.example.com"))
        .then("kubectl apply -f samples/device-claim", g -> {})
        .then(
            "kubectl get pods -l app=notebook -o wide",
            g -> {
              assertThat(running(g, "notebook")).hasSize(2);
              assertThat(devices(g)).hasSize(2).allMatch(device -> device.contains("/gpu-"));
            })
        .then(
            "kubectl get resourceclaims",
            g -> assertThat(claims(g)).hasSize(2).allMatch(DeviceStories::isReserved))
        .then(
            "kubectl get resourceclaims -o yaml | grep -A8 results:",
            g ->
                assertThat(claims(g).stream().flatMap(claim -> results(claim).stream()))
                    .extracting(each -> each.get("driver"))
                    .containsOnly("gpu.nvidia.com"))
        .then("kubectl scale deployment notebook --replicas=60", g -> {})
        .then(
            "kubectl describe pods -l app=notebook",
            g -> {
              assertThat(running(g, "notebook")).hasSize(54);
              assertThat(waiting(g, "notebook"))
                  .hasSize(6)
                  .allSatisfy(why -> assertThat(why).contains("cannot allocate all claims"));
              assertThat(devices(g)).hasSize(54).doesNotHaveDuplicates();
            })
        .then("kubectl scale deployment notebook --replicas=1", g -> {})
        .then("kubectl get resourceclaims", g -> assertThat(claims(g)).hasSize(1))
        .of("device-claim");
  }

  static Story partition() {
    return new Story.Steps()
        .then("kubectl apply -f samples/device-partition", g -> {})
        .then(
            "kubectl get pods -l app=inference -o wide",
            g -> {
              assertThat(running(g, "inference")).hasSize(3);
              assertThat(running(g, "tuning")).hasSize(1);
            })
        .then(
            "kubectl get resourceclaims -o yaml | grep device:",
            g -> {
              assertThat(devices(g)).filteredOn(each -> each.contains("-mig-1g-10gb-")).hasSize(3);
              assertThat(devices(g)).filteredOn(each -> each.contains("-mig-3g-40gb-")).hasSize(1);
            })
        .then("kubectl scale deployment tuning --replicas=12", g -> {})
        .then(
            "kubectl describe pods -l app=tuning",
            g ->
                assertThat(waiting(g, "tuning"))
                    .hasSizeBetween(1, 3)
                    .allSatisfy(why -> assertThat(why).contains("cannot allocate all claims")))
        .then("kubectl scale deployment inference --replicas=0", g -> {})
        .then(
            "kubectl get pods -l app=tuning",
            g -> {
              assertThat(running(g, "tuning")).hasSize(12);
              assertThat(devices(g)).hasSize(12).doesNotHaveDuplicates();
            })
        .of("device-partition");
  }

  static Story pair() {
    return new Story.Steps()
        .then("kubectl apply -f samples/device-pair", g -> {})
        .then(
            "kubectl get pods -l app=pair -o wide", g -> assertThat(running(g, "pair")).hasSize(2))
        .then(
            "kubectl get resourceclaims -o yaml | grep device:",
            g ->
                assertThat(devicesByClaim(g))
                    .hasSize(2)
                    .allSatisfy(
                        pair ->
                            assertThat(Set.copyOf(pair))
                                .isIn(Set.of("gpu-0", "gpu-1"), Set.of("gpu-2", "gpu-3"))))
        .then("kubectl scale deployment pair --replicas=7", g -> {})
        .then(
            "kubectl describe pods -l app=pair",
            g -> {
              assertThat(running(g, "pair")).hasSize(6);
              assertThat(waiting(g, "pair"))
                  .singleElement()
                  .asString()
                  .contains("cannot allocate all claims");
            })
        .of("device-pair");
  }

  static Story shared() {
    return new Story.Steps()
        .then("kubectl apply -f samples/device-shared", g -> {})
        .then(
            "kubectl get pods -l app=small-model -o wide",
            g -> assertThat(running(g, "small-model")).hasSize(2))
        .then(
            "kubectl get resourceclaims -o yaml | grep -A3 consumedCapacity:",
            g ->
                assertThat(claims(g).stream().flatMap(claim -> results(claim).stream()))
                    .extracting(each -> each.get("consumedCapacity"))
                    .containsOnly(Map.of("memory", "20Gi")))
        .then("kubectl scale deployment small-model --replicas=25", g -> {})
        .then(
            "kubectl describe pods -l app=small-model",
            g -> {
              assertThat(running(g, "small-model")).hasSize(24);
              assertThat(waiting(g, "small-model"))
                  .singleElement()
                  .asString()
                  .contains("cannot allocate all claims");
            })
        .of("device-shared");
  }

  static Story extendedResource() {
    return new Story.Steps()
        .then("kubectl apply -f samples/device-extended-resource", g -> {})
        .then(
            "kubectl get pods -l app=unchanged -o wide",
            g -> {
              assertThat(running(g, "unchanged")).hasSize(2);
              assertThat(devices(g)).hasSize(2).doesNotHaveDuplicates();
            })
        .then(
            "kubectl get pods -l app=unchanged -o yaml | grep -A8 extendedResourceClaimStatus:",
            g ->
                assertThat(running(g, "unchanged"))
                    .extracting(
                        pod ->
                            pod.getStatus().getExtendedResourceClaimStatus().getResourceClaimName())
                    .containsExactlyInAnyOrderElementsOf(names(g, "ResourceClaim")))
        .then("kubectl get resourceclaims", g -> assertThat(claims(g)).hasSize(2))
        .of("device-extended-resource");
  }

  private static List<Pod> running(BerthGround ground, String app) {
    return ground.pods("default", app).stream()
        .filter(pod -> "Running".equals(pod.getStatus().getPhase()))
        .filter(pod -> !pod.isMarkedForDeletion())
        .toList();
  }

  private static List<String> waiting(BerthGround ground, String app) {
    return ground.pods("default", app).stream()
        .filter(pod -> pod.getSpec().getNodeName() == null)
        .map(BerthGround::waitsBecause)
        .toList();
  }

  private static List<GenericKubernetesResource> claims(BerthGround ground) {
    return ground
        .admin()
        .genericKubernetesResources(API, "ResourceClaim")
        .inNamespace("default")
        .list()
        .getItems();
  }

  private static List<String> names(BerthGround ground, String kind) {
    return ground
        .admin()
        .genericKubernetesResources(API, kind)
        .inAnyNamespace()
        .list()
        .getItems()
        .stream()
        .map(each -> each.getMetadata().getName())
        .toList();
  }

  private static boolean isReserved(GenericKubernetesResource claim) {
    List<Object> users = claim.get("status", "reservedFor");
    return users != null && users.size() == 1;
  }

  /** Returns the allocated devices, as pool and name. */
  private static List<String> devices(BerthGround ground) {
    List<String> devices = new ArrayList<>();
    for (GenericKubernetesResource claim : claims(ground)) {
      results(claim).forEach(each -> devices.add(each.get("pool") + "/" + each.get("device")));
    }
    return devices;
  }

  private static List<List<String>> devicesByClaim(BerthGround ground) {
    return claims(ground).stream()
        .map(claim -> results(claim).stream().map(each -> (String) each.get("device")).toList())
        .toList();
  }

  private static List<Map<String, Object>> results(GenericKubernetesResource claim) {
    List<Map<String, Object>> results = claim.get("status", "allocation", "devices", "results");
    return results == null ? List.of() : results;
  }
}
