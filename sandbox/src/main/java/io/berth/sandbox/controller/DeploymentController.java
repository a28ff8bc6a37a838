package io.berth.sandbox.controller;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.loop.EventRecorder;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.rest.DeleteOptions;
import io.berth.sandbox.store.Json;
import io.berth.sandbox.store.ObjectKey;
import io.berth.sandbox.store.StoredObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The Deployment controller: rolls out pod templates through ReplicaSets. */
final class DeploymentController {
  private static final String REVISION = "deployment.kubernetes.io/revision";
  private static final String HASH = "pod-template-hash";

  private final Workloads workloads;
  private final EventRecorder events;

  DeploymentController(Workloads workloads) {
    this.workloads = workloads;
    this.events = workloads.events("deployment-controller");
  }

  Optional<Duration> reconcile(ObjectKey key) {
    Optional<StoredObject> found = workloads.get(workloads.deployments, key);
    if (found.isEmpty() || Pods.isDeleted(found.get().json())) {
      return Optional.empty();
    }
    StoredObject deployment = found.get();
    workloads.setAdoption.claim(deployment);
    List<StoredObject> sets = new ArrayList<>();
    for (StoredObject set : workloads.ownedSets.of(deployment.uid())) {
      if (!Pods.isDeleted(set.json())) {
        sets.add(set);
      }
    }
    Rollout rollout = new Rollout(deployment, sets);
    if (!deployment.json().path("spec").path("paused").asBoolean()) {
      rollout.roll();
    }
    rollout.writeStatus();
    return Optional.empty();
  }

  /** A single reconciliation of a Deployment. */
  private final class Rollout {
    private final StoredObject deployment;
    private final JsonNode spec;
    private final List<StoredObject> sets;
    private final int replicas;
    private @Nullable StoredObject current;

    Rollout(StoredObject deployment, List<StoredObject> sets) {
      this.deployment = deployment;
      this.spec = deployment.json().path("spec");
      this.sets = sets;
      this.replicas = spec.path("replicas").asInt(1);
      this.current = sets.stream().filter(set -> isCurrent(set)).findFirst().orElse(null);
    }

    private boolean isCurrent(StoredObject set) {
      ObjectNode template = set.json().path("spec").path("template").deepCopy();
      if (template.path("metadata").path("labels") instanceof ObjectNode labels) {
        labels.remove(HASH);
      }
      return template.equals(spec.path("template"));
    }

    void roll() {
      boolean recreate =
          spec.path("strategy").path("type").asText("RollingUpdate").equals("Recreate");
      if (recreate) {
        boolean oldPods = false;
        for (StoredObject set : old()) {
          scale(set, 0);
          oldPods |= set.json().path("status").path("replicas").asInt() > 0;
        }
        if (!oldPods) {
          scale(newest(), replicas);
        }
        return;
      }
      StoredObject set = newest();
      int surge = surge();
      int total = total();
      int have = size(set);
      int target =
          old().stream().allMatch(each -> size(each) == 0) || have > replicas
              ? replicas
              : Math.min(replicas, have + Math.max(0, replicas + surge - total));
      scale(set, target);
      scaleDownOld();
      prune();
    }

    private List<StoredObject> old() {
      StoredObject now = current;
      return sets.stream().filter(set -> now == null || !set.key().equals(now.key())).toList();
    }

    private int surge() {
      return percentage(spec.at("/strategy/rollingUpdate/maxSurge"), "25%", true);
    }

    private int unavailable() {
      int allowed = percentage(spec.at("/strategy/rollingUpdate/maxUnavailable"), "25%", false);
      return allowed == 0 && surge() == 0 ? 1 : Math.min(allowed, replicas);
    }

    private int percentage(JsonNode value, String fallback, boolean up) {
      return IntOrPercent.of(value.isMissingNode() ? fallback : value.asText(), replicas, up);
    }

    private void scaleDownOld() {
      int available = 0;
      for (StoredObject set : sets) {
        available += set.json().path("status").path("availableReplicas").asInt();
      }
      StoredObject set = newest();
      int newUnavailable = size(set) - set.json().path("status").path("availableReplicas").asInt();
      int minAvailable = replicas - unavailable();
      int spare = total() - minAvailable - newUnavailable;
      for (StoredObject each : oldestFirst()) {
        int size = size(each);
        int unready = size - each.json().path("status").path("availableReplicas").asInt();
        int cleaned = Math.max(0, Math.min(Math.min(size, unready), spare));
        if (cleaned > 0) {
          scale(each, size - cleaned);
          spare -= cleaned;
        }
      }
      int room = Math.min(spare, available - minAvailable);
      for (StoredObject each : oldestFirst()) {
        int size = size(each);
        int taken = Math.max(0, Math.min(size, room));
        if (taken > 0) {
          scale(each, size - taken);
          room -= taken;
        }
      }
    }

    private List<StoredObject> oldestFirst() {
      return old().stream()
          .map(each -> workloads.get(workloads.replicaSets, each.key()).orElse(each))
          .sorted(Comparator.comparing(DeploymentController::created))
          .toList();
    }

    private int total() {
      int total = 0;
      for (StoredObject set : sets) {
        total += size(workloads.get(workloads.replicaSets, set.key()).orElse(set));
      }
      return total;
    }

    private StoredObject newest() {
      StoredObject known = current;
      if (known == null) {
        known = createSet();
        sets.add(known);
      } else {
        known = workloads.get(workloads.replicaSets, known.key()).orElse(known);
      }
      current = known;
      revision(known);
      return known;
    }

    private StoredObject createSet() {
      JsonNode metadata = deployment.json().path("metadata");
      ObjectNode template = spec.path("template").deepCopy();
      String hash = TemplateHash.of(template);
      template.withObject("/metadata/labels").put(HASH, hash);
      ObjectNode set = Json.object();
      set.put("apiVersion", "apps/v1").put("kind", "ReplicaSet");
      ObjectNode own = set.putObject("metadata");
      own.put("name", metadata.path("name").asText() + "-" + hash);
      own.set("labels", template.path("metadata").path("labels").deepCopy());
      ObjectNode annotations = own.putObject("annotations");
      annotations.put(REVISION, Long.toString(nextRevision()));
      annotations.put("deployment.kubernetes.io/desired-replicas", Integer.toString(replicas));
      own.putArray("ownerReferences").add(Pods.controllerReference(deployment.json()));
      ObjectNode setSpec = set.putObject("spec");
      setSpec.put("replicas", 0);
      if (spec.has("minReadySeconds")) {
        setSpec.set("minReadySeconds", spec.get("minReadySeconds"));
      }
      ObjectNode selector = spec.path("selector").deepCopy();
      selector.withObject("matchLabels").put(HASH, hash);
      setSpec.set("selector", selector);
      setSpec.set("template", template);
      StoredObject created =
          workloads.writer.create(workloads.replicaSets, deployment.key().namespace(), set);
      workloads.ownedSets.put(created);
      return created;
    }

    private long nextRevision() {
      long last = 0;
      for (StoredObject set : sets) {
        last = Math.max(last, revisionOf(set));
      }
      return last + 1;
    }

    /**
     * Sets the revision of the current ReplicaSet and the Deployment. A ReplicaSet that is rolled
     * out again gets the next revision.
     */
    private void revision(StoredObject set) {
      long highest = 0;
      for (StoredObject each : old()) {
        highest = Math.max(highest, revisionOf(each));
      }
      long own = revisionOf(set);
      long revision = own > highest ? own : highest + 1;
      String text = Long.toString(revision);
      if (own != revision) {
        annotate(workloads.replicaSets, set, text);
      }
      String shown =
          deployment.json().path("metadata").path("annotations").path(REVISION).asText("");
      if (!shown.equals(text)) {
        annotate(workloads.deployments, deployment, text);
      }
    }

    private void annotate(ResourceType type, StoredObject object, String revision) {
      workloads
          .writer
          .change(
              type,
              object.key(),
              object.uid(),
              "",
              tree -> {
                ObjectNode annotations = tree.withObject("/metadata/annotations");
                boolean changes = !annotations.path(REVISION).asText("").equals(revision);
                annotations.put(REVISION, revision);
                return changes;
              })
          .filter(written -> written.json().path("kind").asText().equals("ReplicaSet"))
          .ifPresent(workloads.ownedSets::put);
    }

    private void scale(StoredObject set, int size) {
      int before = size(set);
      if (before == size) {
        return;
      }
      workloads
          .writer
          .change(
              workloads.replicaSets,
              set.key(),
              set.uid(),
              "",
              tree -> {
                tree.withObject("spec").put("replicas", size);
                return true;
              })
          .ifPresent(workloads.ownedSets::put);
      events.normal(
          deployment.json(),
          "ScalingReplicaSet",
          (size > before ? "Scaled up" : "Scaled down")
              + " replica set "
              + set.key().name()
              + " from "
              + before
              + " to "
              + size);
    }

    private void prune() {
      int limit = spec.path("revisionHistoryLimit").asInt(10);
      List<StoredObject> idle =
          oldestFirst().stream()
              .filter(
                  set -> size(set) == 0 && set.json().path("status").path("replicas").asInt() == 0)
              .toList();
      for (int i = 0; i < idle.size() - limit; i++) {
        StoredObject set = idle.get(i);
        workloads.writer.delete(workloads.replicaSets, set.key(), set.uid(), DeleteOptions.plain());
      }
    }

    void writeStatus() {
      StoredObject now = current;
      int all = 0;
      int ready = 0;
      int available = 0;
      int terminating = 0;
      for (StoredObject set : sets) {
        JsonNode status =
            workloads
                .get(workloads.replicaSets, set.key())
                .map(each -> each.json().path("status"))
                .orElse(Json.object());
        all += status.path("replicas").asInt();
        ready += status.path("readyReplicas").asInt();
        available += status.path("availableReplicas").asInt();
        terminating += status.path("terminatingReplicas").asInt();
      }
      int updated =
          now == null
              ? 0
              : workloads
                  .get(workloads.replicaSets, now.key())
                  .map(set -> set.json().path("status").path("replicas").asInt())
                  .orElse(0);
      ObjectNode status =
          deployment.json().get("status") instanceof ObjectNode old
              ? old.deepCopy()
              : Json.object();
      status.put(
          "observedGeneration", deployment.json().path("metadata").path("generation").asLong());
      ReplicaSetController.putPositive(status, "replicas", all);
      ReplicaSetController.putPositive(status, "updatedReplicas", updated);
      ReplicaSetController.putPositive(status, "readyReplicas", ready);
      ReplicaSetController.putPositive(status, "availableReplicas", available);
      ReplicaSetController.putPositive(
          status, "unavailableReplicas", Math.max(0, replicas - available));
      ReplicaSetController.putPositive(status, "terminatingReplicas", terminating);
      boolean enough = available >= replicas - unavailable();
      workloads.condition(
          status,
          "Available",
          enough ? "True" : "False",
          enough ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
          enough
              ? "Deployment has minimum availability."
              : "Deployment does not have minimum availability.");
      if (now != null) {
        boolean done = updated == replicas && all == replicas && available == replicas;
        String name = "ReplicaSet \"" + now.key().name() + "\" ";
        workloads.condition(
            status,
            "Progressing",
            "True",
            done ? "NewReplicaSetAvailable" : "ReplicaSetUpdated",
            name + (done ? "has successfully progressed." : "is progressing."));
      }
      workloads.status(workloads.deployments, deployment, status);
    }
  }

  private static int size(StoredObject set) {
    return set.json().path("spec").path("replicas").asInt();
  }

  private static long revisionOf(StoredObject set) {
    return set.json().path("metadata").path("annotations").path(REVISION).asLong(0);
  }

  private static String created(StoredObject set) {
    return set.json().path("metadata").path("creationTimestamp").asText();
  }
}
