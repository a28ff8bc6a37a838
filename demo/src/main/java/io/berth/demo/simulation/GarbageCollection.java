package io.berth.demo.simulation;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.demo.tenants.ObjectKey;
import java.time.Duration;

/** The removal of ControllerRevisions whose owner is gone, a while after it. */
final class GarbageCollection {
  private static final Duration LONGEST = Duration.ofSeconds(5);

  private final VirtualTime time;
  private final ApiStore store;

  GarbageCollection(VirtualTime time, ApiStore store) {
    this.time = time;
    this.store = store;
    store.listen(this::changed);
  }

  private void changed(ApiStore.Change change) {
    if (change.deleted() && change.key().kind().equals("SchedulingPolicy")) {
      String uid = change.object().at("/metadata/uid").asText();
      time.later(time.between(Duration.ZERO, LONGEST), () -> collect(uid));
    }
  }

  private void collect(String owner) {
    for (ObjectNode revision : store.all(SimulatedServer.REVISIONS)) {
      if (revision.at("/metadata/ownerReferences/0/uid").asText().equals(owner)) {
        store.remove(ObjectKey.of(revision));
      }
    }
  }
}
