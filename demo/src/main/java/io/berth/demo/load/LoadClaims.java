package io.berth.demo.load;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * The devices and resource claims of a load: a DeviceClass, a ResourceSlice per node, and for each
 * pod a claim for one device, as a ResourceClaimTemplate would give it. The claims exist before
 * their pods, which name them. With a template, each scheduler would try some pods in vain before
 * the claim controller has made their claims, and the controller would be part of what is measured.
 */
final class LoadClaims {
  private static final String API = "/apis/resource.k8s.io/v1";
  private static final String CLASS = API + "/deviceclasses";
  private static final String SLICES = API + "/resourceslices";
  private static final ResourceDefinitionContext CLAIM_KIND =
      new ResourceDefinitionContext.Builder()
          .withGroup("resource.k8s.io")
          .withVersion("v1")
          .withKind("ResourceClaim")
          .withPlural("resourceclaims")
          .withNamespaced(true)
          .build();

  private final KubernetesClient client;
  private final String load;
  private final int perNode;
  private final String driver;
  private final ObjectMapper json = new ObjectMapper();

  /**
   * @param load name of the load: its namespace, its class, and the value of its label
   * @param perNode the number of devices of a node
   */
  LoadClaims(KubernetesClient client, String load, int perNode) {
    this.client = client;
    this.load = load;
    this.perNode = perNode;
    this.driver = load + ".berth.io";
  }

  /** Creates the class and the devices of nodes. */
  void createDevices(List<String> nodes) {
    client.raw(
        CLASS,
        "POST",
        """
        {"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass","metadata":{%s},
         "spec":{"selectors":[{"cel":{"expression":"device.driver == '%s'"}}]}}
        """
            .formatted(metadata(load), driver));
    List<String> devices =
        IntStream.range(0, perNode).mapToObj("{\"name\":\"device-%d\"}"::formatted).toList();
    ParallelCalls.make(
        nodes.size(),
        i ->
            client.raw(
                SLICES,
                "POST",
                """
                {"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{%s},
                 "spec":{"driver":"%s","nodeName":"%s","devices":[%s],
                  "pool":{"name":"%s","generation":1,"resourceSliceCount":1}}}
                """
                    .formatted(
                        metadata(nodes.get(i)),
                        driver,
                        nodes.get(i),
                        String.join(",", devices),
                        nodes.get(i))));
  }

  private String claimSpec() {
    return """
    {"devices":{"requests":[{"name":"device","exactly":{"deviceClassName":"%s"}}]}}\
    """
        .formatted(load);
  }

  /** Creates claims with the names of the pods that will use them. */
  void createClaims(String prefix, int count) {
    ParallelCalls.make(
        count,
        i ->
            client.raw(
                namespaced("resourceclaims"),
                "POST",
                """
                {"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{%s},
                 "spec":%s}
                """
                    .formatted(metadata(ClusterLoad.podName(prefix, i)), claimSpec())));
  }

  /**
   * Checks that each claim has one device, and no two of them the same.
   *
   * @throws IOException if not
   */
  void requireDistinctDevices(int pods) throws IOException {
    Set<String> devices = new HashSet<>();
    int allocated = 0;
    for (JsonNode claim : claims()) {
      JsonNode results = claim.at("/status/allocation/devices/results");
      allocated += results.size();
      for (JsonNode result : results) {
        devices.add(result.path("pool").asText() + "/" + result.path("device").asText());
      }
    }
    if (devices.size() != pods || allocated != pods) {
      throw new IOException(
          "%d pods have %d devices, %d of them different"
              .formatted(pods, allocated, devices.size()));
    }
  }

  private List<JsonNode> claims() throws IOException {
    List<JsonNode> claims = new ArrayList<>();
    json.readTree(client.raw(namespaced("resourceclaims"))).path("items").forEach(claims::add);
    return claims;
  }

  /**
   * Takes the devices from all claims and deletes them, as the claim controller does for claims of
   * pods that are gone, because there may be no controller.
   */
  void removeClaims() throws IOException {
    List<JsonNode> claims = claims();
    ParallelCalls.make(
        claims.size(), i -> remove(claims.get(i).path("metadata").path("name").asText()));
  }

  private void remove(String name) {
    var claim = client.genericKubernetesResources(CLAIM_KIND).inNamespace(load).withName(name);
    PatchContext merge = PatchContext.of(PatchType.JSON_MERGE);
    claim.subresource("status").patch(merge, "{\"status\":null}");
    claim.patch(merge, "{\"metadata\":{\"finalizers\":null}}");
    claim.delete();
  }

  /** Deletes the class and the devices. */
  void removeDevices() {
    for (String kind : new String[] {SLICES, CLASS}) {
      try {
        client.raw(kind + "?labelSelector=" + ClusterLoad.RUN_LABEL + "%3D" + load, "DELETE", null);
      } catch (KubernetesClientException e) {
        if (e.getCode() != HttpURLConnection.HTTP_NOT_FOUND) {
          throw e;
        }
      }
    }
  }

  private String namespaced(String plural) {
    return API + "/namespaces/" + load + "/" + plural;
  }

  private String metadata(String name) {
    return "\"name\":\"%s\",\"labels\":{\"%s\":\"%s\"}"
        .formatted(name, ClusterLoad.RUN_LABEL, load);
  }
}
