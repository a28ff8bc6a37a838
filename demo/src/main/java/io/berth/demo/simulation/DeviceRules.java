package io.berth.demo.simulation;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.demo.invariant.DeviceUse;
import io.berth.demo.simulation.ApiStore.Change;
import io.berth.demo.tenants.KubeObjects;
import io.berth.demo.tenants.ObjectKey;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The rules about devices that hold at any time. Berth gives no device to two claims. When a pod is
 * bound, its claims have devices on its node and are reserved for it, and no claim of another
 * scheduler has one of these devices: that one was faster.
 */
final class DeviceRules {
  private final ApiStore store;
  private final Consumer<String> onViolation;

  /** The UIDs of bound pods. */
  private final Set<String> bound = new HashSet<>();

  DeviceRules(ApiStore store, Consumer<String> onViolation) {
    this.store = store;
    this.onViolation = onViolation;
    store.listen(this::changed);
  }

  private void changed(Change change) {
    if (change.deleted()) {
      return;
    }
    if (change.key().kind().equals(DeviceUse.CLAIM)) {
      DeviceUse.givenTwice(
              store.all(DeviceUse.CLAIM).stream().filter(claim -> !isOfRival(claim)).toList())
          .forEach(onViolation);
    } else if (change.key().kind().equals("Pod")
        && !KubeObjects.nodeOf(change.object()).isEmpty()
        && bound.add(change.object().at("/metadata/uid").asText())) {
      Map<ObjectKey, ObjectNode> claims = new HashMap<>();
      for (String name : DeviceUse.claimsOf(change.object())) {
        ObjectKey key = new ObjectKey(DeviceUse.CLAIM, change.key().namespace(), name);
        store.find(key).ifPresent(claim -> claims.put(key, claim));
      }
      DeviceUse.lacking(change.object(), claims).forEach(onViolation);
      claims.values().forEach(claim -> requireNoRival(change.key(), claim));
    }
  }

  private static boolean isOfRival(ObjectNode claim) {
    return ObjectKey.of(claim).namespace().equals(RivalScheduler.NAMESPACE);
  }

  private void requireNoRival(ObjectKey pod, ObjectNode claim) {
    List<String> devices = DeviceUse.devicesOf(claim);
    for (ObjectNode other : store.all(DeviceUse.CLAIM)) {
      if (isOfRival(other) && !Collections.disjoint(devices, DeviceUse.devicesOf(other))) {
        onViolation.accept(
            "%s is bound, and %s, which another scheduler allocated earlier, has a device of its %s"
                .formatted(pod, ObjectKey.of(other), ObjectKey.of(claim)));
      }
    }
  }
}
