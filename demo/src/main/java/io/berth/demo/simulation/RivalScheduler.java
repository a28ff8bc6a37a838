package io.berth.demo.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.demo.invariant.DeviceUse;
import io.berth.demo.simulation.ApiStore.Change;
import io.berth.demo.tenants.KubeObjects;
import io.berth.demo.tenants.ObjectKey;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * Another scheduler that gives devices to claims of its own for a while, often at the moment when
 * Berth is about to write a claim. It writes only if no other claim has the device, so when two
 * claims have one, Berth was too late, and must not bind the pod.
 */
final class RivalScheduler {
  /** The namespace of its claims. */
  static final String NAMESPACE = "rivals";

  private static final Duration LONGEST_DELAY = Duration.ofMillis(10);
  private static final Duration SHORTEST_USE = Duration.ofSeconds(1);
  private static final Duration LONGEST_USE = Duration.ofSeconds(20);

  /** One of so many claims that are about to be written makes it act. */
  private static final int RARITY = 3;

  private final VirtualTime time;
  private final ApiStore store;
  private final BooleanSupplier pauses;
  private int claims;

  /**
   * @param pauses returns whether nothing new is to happen now
   */
  RivalScheduler(VirtualTime time, ApiStore store, BooleanSupplier pauses) {
    this.time = time;
    this.store = store;
    this.pauses = pauses;
    store.listen(this::changed);
  }

  private void changed(Change change) {
    if (SimulatedClaims.isAboutToBeAllocated(change)
        && !pauses.getAsBoolean()
        && time.random().nextInt(RARITY) == 0) {
      time.later(time.between(Duration.ZERO, LONGEST_DELAY), this::give);
    }
  }

  /** Gives the first free device of a node to a claim: of one that a pod waits for, if any. */
  private void give() {
    List<String> awaited =
        store.all("Pod").stream()
            .filter(pod -> KubeObjects.nodeOf(pod).isEmpty())
            .filter(pod -> !DeviceUse.claimsOf(pod).isEmpty())
            .map(pod -> pod.at("/status/nominatedNodeName").asText())
            .toList();
    List<ObjectNode> slices = store.all("ResourceSlice");
    List<ObjectNode> ofAwaited =
        slices.stream()
            .filter(slice -> awaited.contains(slice.at("/spec/nodeName").asText()))
            .toList();
    List<ObjectNode> candidates = ofAwaited.isEmpty() ? slices : ofAwaited;
    if (candidates.isEmpty()) {
      return;
    }
    JsonNode spec = candidates.get(time.random().nextInt(candidates.size())).path("spec");
    String pool = spec.at("/pool/name").asText();
    Set<String> given = given();
    spec.path("devices")
        .valueStream()
        .map(device -> device.path("name").asText())
        .filter(device -> !given.contains(DeviceUse.nameOf(pool, device)))
        .findFirst()
        .ifPresent(device -> give(spec.path("driver").asText(), pool, device));
  }

  private void give(String driver, String pool, String device) {
    ObjectNode claim = KubeObjects.create(DeviceUse.CLAIM, NAMESPACE, "rival-" + ++claims);
    claim.put("apiVersion", "resource.k8s.io/v1");
    ObjectNode status = claim.putObject("status");
    status
        .putObject("allocation")
        .putObject("devices")
        .putArray("results")
        .addObject()
        .put("request", "device")
        .put("driver", driver)
        .put("pool", pool)
        .put("device", device);
    // The claim controller leaves users alone that are no pods.
    status
        .putArray("reservedFor")
        .addObject()
        .put("apiGroup", "example.com")
        .put("resource", "jobs")
        .put("name", "job")
        .put("uid", "uid-of-job-" + claims);
    store.put(claim);
    time.later(time.between(SHORTEST_USE, LONGEST_USE), () -> store.delete(ObjectKey.of(claim)));
  }

  private Set<String> given() {
    Set<String> given = new HashSet<>();
    store.all(DeviceUse.CLAIM).forEach(claim -> given.addAll(DeviceUse.devicesOf(claim)));
    return given;
  }
}
