package io.berth.demo.simulation;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.demo.tenants.KubeObjects;
import io.berth.demo.tenants.ObjectKey;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The controller of ReplicaSets, and the garbage collection of pods whose ReplicaSet is gone: each
 * set has as many pods as it asks for, without those that terminate or have ended.
 */
final class ReplicaSets {
  private static final String KIND = "ReplicaSet";
  private static final Duration QUICK = Duration.ofMillis(20);
  private static final Duration LONGEST = Duration.ofSeconds(1);

  private final VirtualTime time;
  private final ApiStore store;
  private final Set<ObjectKey> scheduled = new TreeSet<>();
  private long created;

  ReplicaSets(VirtualTime time, ApiStore store) {
    this.time = time;
    this.store = store;
    store.listen(this::changed);
  }

  private void changed(ApiStore.Change change) {
    if (change.key().kind().equals(KIND)) {
      schedule(change.key());
    } else if (change.key().kind().equals("Pod")) {
      String owner = change.object().at("/metadata/ownerReferences/0/name").asText("");
      if (!owner.isEmpty()) {
        schedule(new ObjectKey(KIND, change.key().namespace(), owner));
      }
    }
  }

  private void schedule(ObjectKey set) {
    if (scheduled.add(set)) {
      time.later(
          time.between(QUICK, LONGEST),
          () -> {
            scheduled.remove(set);
            reconcile(set);
          });
    }
  }

  private void reconcile(ObjectKey key) {
    ObjectNode set = store.find(key).orElse(null);
    String uid = set == null ? "" : set.at("/metadata/uid").asText();
    List<ObjectNode> pods =
        store.all("Pod").stream()
            .filter(pod -> ObjectKey.of(pod).namespace().equals(key.namespace()))
            .filter(pod -> pod.at("/metadata/ownerReferences/0/name").asText().equals(key.name()))
            .filter(pod -> !KubeObjects.isTerminating(pod))
            .toList();
    pods.stream()
        .filter(pod -> !pod.at("/metadata/ownerReferences/0/uid").asText().equals(uid))
        .forEach(pod -> store.delete(ObjectKey.of(pod)));
    if (set == null) {
      return;
    }
    List<ObjectNode> own =
        pods.stream()
            .filter(pod -> pod.at("/metadata/ownerReferences/0/uid").asText().equals(uid))
            .filter(pod -> !KubeObjects.isFinished(pod))
            .toList();
    int wanted = set.at("/spec/replicas").asInt();
    for (int i = own.size(); i < wanted; i++) {
      store.create(pod(set, key, uid));
    }
    own.stream().skip(wanted).forEach(pod -> store.delete(ObjectKey.of(pod)));
  }

  private ObjectNode pod(ObjectNode set, ObjectKey key, String uid) {
    ObjectNode pod = KubeObjects.create("Pod", key.namespace(), key.name() + "-" + ++created);
    ObjectNode metadata = pod.withObject("/metadata");
    metadata.put("generateName", key.name() + "-");
    metadata.set("labels", set.at("/spec/template/metadata/labels").deepCopy());
    metadata
        .putArray("ownerReferences")
        .addObject()
        .put("apiVersion", "apps/v1")
        .put("kind", KIND)
        .put("name", key.name())
        .put("uid", uid)
        .put("controller", true);
    pod.set("spec", set.at("/spec/template/spec").deepCopy());
    pod.withObject("/status").put("phase", "Pending");
    return pod;
  }
}
