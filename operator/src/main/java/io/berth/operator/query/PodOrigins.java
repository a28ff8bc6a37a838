package io.berth.operator.query;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.Annotations;
import io.berth.operator.feed.FedPod;
import io.fabric8.kubernetes.api.model.OwnerReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/**
 * Pods as they were before anything was rendered into them: the templates of their controllers, or
 * the pods themselves if nothing was rendered. They are read from the API server, because the
 * caches do not have them. Thread-safe.
 */
final class PodOrigins {
  /** The most objects that are read for one review. */
  static final int MOST_READ = 2_000;

  /** The longest time for the reads of one review. */
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  /** The number of concurrent reads of this replica. */
  private static final int READS_AT_ONCE = 16;

  /** The kinds with a pod template, and where they are served. */
  private static final Map<String, String> TEMPLATED =
      Map.of(
          "apps/v1/ReplicaSet", "/apis/apps/v1/namespaces/%s/replicasets/%s",
          "apps/v1/StatefulSet", "/apis/apps/v1/namespaces/%s/statefulsets/%s",
          "apps/v1/DaemonSet", "/apis/apps/v1/namespaces/%s/daemonsets/%s",
          "batch/v1/Job", "/apis/batch/v1/namespaces/%s/jobs/%s",
          "v1/ReplicationController", "/api/v1/namespaces/%s/replicationcontrollers/%s");

  private final Function<String, CompletableFuture<Optional<JsonNode>>> read;
  private final Semaphore turns = new Semaphore(READS_AT_ONCE);

  /**
   * @param read reads the object at a path; empty if it does not exist
   */
  PodOrigins(Function<String, CompletableFuture<Optional<JsonNode>>> read) {
    this.read = read;
  }

  /** The object from which the pod was created. */
  private record Source(String path, String uid) {
    /** Returns the source of a pod; empty if it is not known. */
    static Optional<Source> of(FedPod pod) {
      String namespace = pod.ref().namespace();
      Optional<OwnerReference> controller = pod.controller();
      Optional<Source> templated =
          controller
              .filter(owner -> TEMPLATED.containsKey(kind(owner)))
              .map(
                  owner ->
                      new Source(
                          TEMPLATED.get(kind(owner)).formatted(namespace, owner.getName()),
                          owner.getUid()));
      return templated.isPresent() || pod.annotations().containsKey(Annotations.APPLIED)
          ? templated
          : Optional.of(
              new Source(
                  "/api/v1/namespaces/%s/pods/%s".formatted(namespace, pod.ref().name()),
                  pod.ref().uid()));
    }

    private static String kind(OwnerReference owner) {
      return owner.getApiVersion() + "/" + owner.getKind();
    }
  }

  /**
   * The origins that were read.
   *
   * @param isComplete whether everything was read: there was time, and no read failed
   */
  record Origins(Map<Source, ObjectNode> bySource, boolean isComplete) {
    /**
     * Returns the metadata and the spec of a pod as its author wrote them, with one empty container
     * and without volumes; empty if they are not known.
     */
    Optional<ObjectNode> of(FedPod pod) {
      return Source.of(pod).map(bySource::get);
    }
  }

  /**
   * Reads the origins of pods. Waits until they are read, or {@link #PATIENCE} has passed.
   *
   * @throws InterruptedException if interrupted while waiting
   */
  Origins read(Iterable<FedPod> pods) throws InterruptedException {
    Set<Source> sources = new LinkedHashSet<>();
    pods.forEach(pod -> Source.of(pod).ifPresent(sources::add));
    long end = System.nanoTime() + PATIENCE.toNanos();
    Map<Source, CompletableFuture<Optional<JsonNode>>> asked = new HashMap<>();
    boolean complete = sources.size() <= MOST_READ;
    for (Source source : sources.stream().limit(MOST_READ).toList()) {
      if (!turns.tryAcquire(end - System.nanoTime(), TimeUnit.NANOSECONDS)) {
        complete = false;
        break;
      }
      asked.put(source, read.apply(source.path()).whenComplete((object, e) -> turns.release()));
    }
    Map<Source, ObjectNode> found = new HashMap<>();
    List<Source> failed = new ArrayList<>();
    for (Map.Entry<Source, CompletableFuture<Optional<JsonNode>>> each : asked.entrySet()) {
      try {
        each.getValue()
            .get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS)
            .filter(object -> object.at("/metadata/uid").asText().equals(each.getKey().uid()))
            .flatMap(PodOrigins::podOf)
            .ifPresent(pod -> found.put(each.getKey(), pod));
      } catch (TimeoutException | ExecutionException e) {
        failed.add(each.getKey());
      }
    }
    return new Origins(Map.copyOf(found), complete && failed.isEmpty());
  }

  /** Returns the pod or the pod template, with one empty container and without volumes. */
  private static Optional<ObjectNode> podOf(JsonNode object) {
    JsonNode template = object.at("/spec/template");
    JsonNode pod = template.isObject() ? template : object;
    if (!(pod.path("spec") instanceof ObjectNode spec)) {
      return Optional.empty();
    }
    ObjectNode origin = spec.objectNode();
    ObjectNode metadata = origin.putObject("metadata");
    for (String field : List.of("labels", "annotations")) {
      metadata.set(field, pod.path("metadata").path(field).deepCopy());
    }
    ObjectNode bare = spec.deepCopy();
    bare.remove(List.of("initContainers", "volumes", "nodeName"));
    bare.putArray("containers").addObject().put("name", "main"); // a pod must have one
    origin.set("spec", bare);
    return Optional.of(origin);
  }
}
