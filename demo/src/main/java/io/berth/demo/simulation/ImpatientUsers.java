package io.berth.demo.simulation;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.demo.invariant.DeviceUse;
import io.berth.demo.simulation.ApiStore.Change;
import io.berth.demo.tenants.ObjectKey;
import io.berth.demo.tenants.Tenants;
import java.time.Duration;

/** The users who delete some pods at the moment when these get devices. */
final class ImpatientUsers {
  private static final Duration LONGEST = Duration.ofMillis(10);

  private final VirtualTime time;
  private final ApiStore store;

  ImpatientUsers(VirtualTime time, ApiStore store) {
    this.time = time;
    this.store = store;
    store.listen(this::changed);
  }

  private void changed(Change change) {
    ObjectNode claim = change.object();
    if (SimulatedClaims.isAboutToBeAllocated(change)) {
      store.all("Pod").stream()
          .filter(pod -> pod.at("/metadata/annotations").has(Tenants.IMPATIENT))
          .filter(pod -> uses(pod, change.key(), claim))
          .map(ObjectKey::of)
          .forEach(
              pod -> time.later(time.between(Duration.ZERO, LONGEST), () -> store.delete(pod)));
    }
  }

  private static boolean uses(ObjectNode pod, ObjectKey key, ObjectNode claim) {
    return ObjectKey.of(pod).namespace().equals(key.namespace())
        && (DeviceUse.claimsOf(pod).contains(key.name())
            || claim.at("/metadata/ownerReferences/0/uid").equals(pod.at("/metadata/uid")));
  }
}
