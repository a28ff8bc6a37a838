package io.berth.sandbox.controller;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.loop.EventRecorder;
import io.berth.sandbox.store.Json;
import io.berth.sandbox.store.ObjectKey;
import io.berth.sandbox.store.StoredObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The Job controller. Supports parallelism, completions, backoffLimit, and suspend. */
final class JobController {
  private final Workloads workloads;
  private final EventRecorder events;

  JobController(Workloads workloads) {
    this.workloads = workloads;
    this.events = workloads.events("job-controller");
  }

  Optional<Duration> reconcile(ObjectKey key) {
    Optional<StoredObject> found = workloads.get(workloads.jobs, key);
    if (found.isEmpty() || Pods.isDeleted(found.get().json())) {
      return Optional.empty();
    }
    StoredObject job = found.get();
    JsonNode spec = job.json().path("spec");
    ObjectNode status =
        job.json().get("status") instanceof ObjectNode old ? old.deepCopy() : Json.object();
    if (isFinished(status)) {
      return Optional.empty();
    }
    workloads.podAdoption.claim(job);
    List<StoredObject> active = new ArrayList<>();
    int succeeded = 0;
    int failed = 0;
    for (StoredObject pod : workloads.podsOf(job)) {
      String phase = pod.json().path("status").path("phase").asText();
      switch (phase) {
        case "Succeeded" -> succeeded++;
        case "Failed" -> failed++;
        default -> {
          if (!Pods.isDeleted(pod.json())) {
            active.add(pod);
          }
        }
      }
    }
    boolean suspended = spec.path("suspend").asBoolean();
    if (!status.has("startTime") && !suspended) {
      status.put("startTime", workloads.now());
    }
    int parallelism = spec.path("parallelism").asInt(1);
    boolean counted = spec.hasNonNull("completions");
    int completions = counted ? spec.path("completions").asInt() : 1;
    boolean complete = counted ? succeeded >= completions : succeeded > 0 && active.isEmpty();
    boolean broken = failed > spec.path("backoffLimit").asInt(6);
    if (broken || complete || suspended) {
      active.forEach(pod -> workloads.deletePod(job, pod, events));
      active.clear();
    } else {
      int open = counted ? completions - succeeded : succeeded > 0 ? active.size() : parallelism;
      int wanted = Math.min(parallelism, open);
      for (int i = active.size(); i < wanted; i++) {
        active.add(workloads.createPod(job, pod(job), events));
      }
      active.stream()
          .skip(Math.max(0, wanted))
          .toList()
          .forEach(pod -> workloads.deletePod(job, pod, events));
    }
    int ready = (int) active.stream().filter(pod -> Pods.isReady(pod.json())).count();
    ReplicaSetController.putPositive(status, "active", active.size());
    ReplicaSetController.putPositive(status, "succeeded", succeeded);
    ReplicaSetController.putPositive(status, "failed", failed);
    status.put("ready", ready).put("terminating", 0);
    status.putObject("uncountedTerminatedPods");
    finish(job, status, complete, broken, suspended);
    workloads.status(workloads.jobs, job, status);
    return Optional.empty();
  }

  private static boolean isFinished(JsonNode status) {
    for (JsonNode condition : status.path("conditions")) {
      String type = condition.path("type").asText();
      if ((type.equals("Complete") || type.equals("Failed"))
          && condition.path("status").asText().equals("True")) {
        return true;
      }
    }
    return false;
  }

  private void finish(
      StoredObject job, ObjectNode status, boolean complete, boolean broken, boolean suspended) {
    if (complete) {
      String reached = "Reached expected number of succeeded pods";
      workloads.condition(status, "SuccessCriteriaMet", "True", "CompletionsReached", reached);
      workloads.condition(status, "Complete", "True", "CompletionsReached", reached);
      status.put("completionTime", workloads.now());
      events.normal(job.json(), "Completed", "Job completed");
    } else if (broken) {
      String limit = "Job has reached the specified backoff limit";
      workloads.condition(status, "FailureTarget", "True", "BackoffLimitExceeded", limit);
      workloads.condition(status, "Failed", "True", "BackoffLimitExceeded", limit);
      events.warning(job.json(), "BackoffLimitExceeded", limit);
    } else if (suspended) {
      workloads.condition(status, "Suspended", "True", "JobSuspended", "Job suspended");
    }
  }

  private static ObjectNode pod(StoredObject job) {
    ObjectNode pod = Pods.fromTemplate(job.json(), job.json().path("spec").path("template"));
    ObjectNode labels = pod.withObject("/metadata/labels");
    labels.put("batch.kubernetes.io/controller-uid", job.uid());
    labels.put("batch.kubernetes.io/job-name", job.key().name());
    labels.put("controller-uid", job.uid());
    labels.put("job-name", job.key().name());
    return pod;
  }
}
