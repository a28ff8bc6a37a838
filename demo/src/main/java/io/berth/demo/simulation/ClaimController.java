package io.berth.demo.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.demo.invariant.DeviceUse;
import io.berth.demo.simulation.ApiStore.Change;
import io.berth.demo.tenants.KubeObjects;
import io.berth.demo.tenants.ObjectKey;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The controller of resource claims, which is late: it makes the claims of pods from their
 * templates, takes pods that are over from the claims that they used, and the devices from claims
 * that no pod uses any more, and deletes the claims of pods that are over.
 */
final class ClaimController {
  private static final String TEMPLATE = "ResourceClaimTemplate";
  private static final String FINALIZER = "resource.kubernetes.io/delete-protection";
  private static final Duration QUICK = Duration.ofMillis(10);
  private static final Duration LONGEST = Duration.ofSeconds(1);

  private final VirtualTime time;
  private final ApiStore store;
  private final Set<ObjectKey> scheduled = new TreeSet<>();

  ClaimController(VirtualTime time, ApiStore store) {
    this.time = time;
    this.store = store;
    store.listen(this::changed);
  }

  private void changed(Change change) {
    String namespace = change.key().namespace();
    switch (change.key().kind()) {
      case "Pod" -> {
        if (!change.object().at("/spec/resourceClaims").isEmpty()) {
          schedule(change.key());
        }
        for (String claim : DeviceUse.claimsOf(change.object())) {
          schedule(new ObjectKey(DeviceUse.CLAIM, namespace, claim));
        }
      }
      case DeviceUse.CLAIM -> {
        if (!change.deleted()) {
          schedule(change.key());
        }
      }
      case TEMPLATE ->
          store.all("Pod").stream()
              .filter(pod -> ObjectKey.of(pod).namespace().equals(namespace))
              .filter(pod -> !pod.at("/spec/resourceClaims").isEmpty())
              .forEach(pod -> schedule(ObjectKey.of(pod)));
      default -> {} // has no claims
    }
  }

  private void schedule(ObjectKey key) {
    if (scheduled.add(key)) {
      time.later(
          time.between(QUICK, LONGEST),
          () -> {
            scheduled.remove(key);
            store.find(key).ifPresent(key.kind().equals("Pod") ? this::make : this::release);
          });
    }
  }

  /** Makes the claims of a pod whose templates exist. */
  private void make(ObjectNode pod) {
    if (KubeObjects.isFinished(pod) || KubeObjects.isTerminating(pod)) {
      return;
    }
    for (JsonNode reference : pod.at("/spec/resourceClaims")) {
      String template = reference.path("resourceClaimTemplateName").asText("");
      if (!template.isEmpty() && !isNamed(pod, reference.path("name"))) {
        store
            .find(new ObjectKey(TEMPLATE, ObjectKey.of(pod).namespace(), template))
            .ifPresent(found -> make(pod, reference.path("name").asText(), found));
      }
    }
  }

  private static boolean isNamed(JsonNode pod, JsonNode name) {
    for (JsonNode made : pod.at("/status/resourceClaimStatuses")) {
      if (made.path("name").equals(name)) {
        return true;
      }
    }
    return false;
  }

  private void make(ObjectNode pod, String name, ObjectNode template) {
    ObjectKey key = ObjectKey.of(pod);
    String uid = pod.at("/metadata/uid").asText();
    String claimName = key.name() + "-" + name + "-" + uid;
    if (store.find(new ObjectKey(DeviceUse.CLAIM, key.namespace(), claimName)).isEmpty()) {
      ObjectNode claim = KubeObjects.create(DeviceUse.CLAIM, key.namespace(), claimName);
      claim.put("apiVersion", "resource.k8s.io/v1");
      claim
          .withObject("/metadata")
          .putArray("ownerReferences")
          .addObject()
          .put("apiVersion", "v1")
          .put("kind", "Pod")
          .put("name", key.name())
          .put("uid", uid)
          .put("controller", true);
      claim.set("spec", template.at("/spec/spec").deepCopy());
      store.put(claim);
    }
    store.write(
        key,
        changed ->
            changed
                .withObject("/status")
                .withArray("resourceClaimStatuses")
                .addObject()
                .put("name", name)
                .put("resourceClaimName", claimName));
  }

  /** Takes pods that are over from a claim, its devices if none is left, and the claim itself. */
  private void release(ObjectNode claim) {
    ObjectKey key = ObjectKey.of(claim);
    JsonNode before = claim.at("/status/reservedFor");
    ArrayNode users = JsonNodeFactory.instance.arrayNode();
    before.forEach(
        user -> {
          if (!isPod(user) || uses(key.namespace(), user)) {
            users.add(user);
          }
        });
    if (users.size() < before.size()) {
      store.write(
          key,
          changed -> {
            ObjectNode status = changed.withObject("/status");
            if (users.isEmpty()) {
              status.remove(List.of("reservedFor", "allocation", "devices"));
            } else {
              status.set("reservedFor", users);
            }
          });
    }
    JsonNode owner = claim.at("/metadata/ownerReferences/0");
    if (!owner.isMissingNode() && !uses(key.namespace(), owner)) {
      store.delete(key);
    }
    if (users.isEmpty()) {
      store.write(key, ClaimController::unprotect);
    }
  }

  private static boolean isPod(JsonNode user) {
    return user.path("resource").asText().equals("pods");
  }

  private boolean uses(String namespace, JsonNode user) {
    return store
        .find(ObjectKey.pod(namespace, user.path("name").asText()))
        .filter(pod -> pod.at("/metadata/uid").equals(user.path("uid")))
        .filter(pod -> !KubeObjects.isFinished(pod))
        .isPresent();
  }

  /** Lets a terminating claim without devices go. */
  private static void unprotect(ObjectNode claim) {
    if (KubeObjects.isTerminating(claim) && !claim.at("/status/allocation").isObject()) {
      ArrayNode others = JsonNodeFactory.instance.arrayNode();
      claim
          .at("/metadata/finalizers")
          .forEach(
              finalizer -> {
                if (!finalizer.asText().equals(FINALIZER)) {
                  others.add(finalizer);
                }
              });
      claim.withObject("/metadata").set("finalizers", others);
    }
  }
}
