package io.berth.demo.invariant;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.demo.tenants.KubeObjects;
import io.berth.demo.tenants.ObjectKey;
import io.berth.demo.tenants.Tenants;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The use of devices by the resource claims of a cluster, none of which shares a device. */
public final class DeviceUse {
  /** The kind of claims. */
  public static final String CLAIM = "ResourceClaim";

  private DeviceUse() {}

  /** Returns the names of the claims that a pod uses and that its objects name. */
  public static List<String> claimsOf(JsonNode pod) {
    List<String> names = new ArrayList<>();
    Stream.of(pod.at("/spec/resourceClaims"), pod.at("/status/resourceClaimStatuses"))
        .flatMap(JsonNode::valueStream)
        .map(reference -> reference.path("resourceClaimName").asText(""))
        .filter(name -> !name.isEmpty())
        .forEach(names::add);
    String extended = pod.at("/status/extendedResourceClaimStatus/resourceClaimName").asText("");
    if (!extended.isEmpty()) {
      names.add(extended);
    }
    return names;
  }

  /** Returns a device of a pool by which it is compared with others. */
  public static String nameOf(String pool, String device) {
    return pool + "/" + device;
  }

  /** Returns the devices of a claim. */
  public static List<String> devicesOf(JsonNode claim) {
    return claim
        .at("/status/allocation/devices/results")
        .valueStream()
        .map(result -> nameOf(result.path("pool").asText(), result.path("device").asText()))
        .toList();
  }

  /** Returns the devices that are given to two claims. */
  public static List<String> givenTwice(List<ObjectNode> claims) {
    Map<String, ObjectKey> given = new HashMap<>();
    List<String> violations = new ArrayList<>();
    for (ObjectNode claim : claims) {
      for (String device : devicesOf(claim)) {
        ObjectKey other = given.put(device, ObjectKey.of(claim));
        if (other != null) {
          violations.add(
              "device %s is given to %s and %s".formatted(device, other, ObjectKey.of(claim)));
        }
      }
    }
    return violations;
  }

  /**
   * Returns what a pod on a node lacks of its devices: each of its claims must have devices there,
   * and be reserved for it.
   *
   * @param claims all claims, by their identity
   */
  public static List<String> lacking(ObjectNode pod, Map<ObjectKey, ObjectNode> claims) {
    ObjectKey key = ObjectKey.of(pod);
    List<String> names = claimsOf(pod);
    List<String> violations = new ArrayList<>();
    if (names.size() < pod.at("/spec/resourceClaims").size()) {
      violations.add("pod %s is bound, and has no claims yet".formatted(key));
    }
    if (asksForExtendedResource(pod) && !pod.at("/status").has("extendedResourceClaimStatus")) {
      violations.add("pod %s is bound, and has no claim for its extended resource".formatted(key));
    }
    for (String name : names) {
      ObjectNode claim = claims.get(new ObjectKey(CLAIM, key.namespace(), name));
      if (claim == null || !claim.at("/status/allocation").isObject()) {
        violations.add("pod %s is bound, and its claim %s has no devices".formatted(key, name));
      } else if (!isReserved(claim, pod)) {
        violations.add(
            "pod %s is bound, and its claim %s is not reserved for it".formatted(key, name));
      } else if (!isOn(claim, KubeObjects.nodeOf(pod))) {
        violations.add(
            "pod %s is bound to %s, and the devices of its claim %s are elsewhere"
                .formatted(key, KubeObjects.nodeOf(pod), name));
      }
    }
    return violations;
  }

  private static boolean asksForExtendedResource(ObjectNode pod) {
    return pod.at("/spec/containers")
        .valueStream()
        .anyMatch(container -> container.at("/resources/requests").has(Tenants.EXTENDED_RESOURCE));
  }

  private static boolean isReserved(ObjectNode claim, ObjectNode pod) {
    return claim
        .at("/status/reservedFor")
        .valueStream()
        .anyMatch(user -> user.path("uid").equals(pod.at("/metadata/uid")));
  }

  /** Returns whether all devices are in the pool of the node, which has its name. */
  private static boolean isOn(ObjectNode claim, String node) {
    return claim
        .at("/status/allocation/devices/results")
        .valueStream()
        .allMatch(result -> result.path("pool").asText().equals(node));
  }

  /** Returns what is wrong in a cluster in which nothing happens any more. */
  public static List<String> violations(List<ObjectNode> objects) {
    Map<ObjectKey, ObjectNode> claims = new HashMap<>();
    for (ObjectNode object : objects) {
      if (object.path("kind").asText().equals(CLAIM)) {
        claims.put(ObjectKey.of(object), object);
      }
    }
    List<String> violations = new ArrayList<>(givenTwice(List.copyOf(claims.values())));
    for (ObjectNode object : objects) {
      if (object.path("kind").asText().equals("Pod")
          && !KubeObjects.nodeOf(object).isEmpty()
          && !KubeObjects.isFinished(object)) {
        violations.addAll(lacking(object, claims));
      }
    }
    return violations;
  }
}
