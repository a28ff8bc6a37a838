package io.berth.operator.query;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.Annotations;
import io.berth.operator.feed.FedPod;
import io.berth.webhook.error.ObjectNames;
import io.fabric8.kubernetes.api.model.OwnerReference;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
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
import java.util.stream.Stream;

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

  /** The number of concurrent reads of this replica, and of one review. */
  private static final int READS_AT_ONCE = 16;

  private static final int READS_OF_A_REVIEW = 4;

  /** The kinds with a pod template, and where they are served. */
  private static final Map<String, String> TEMPLATED =
      Map.of(
          "apps/v1/ReplicaSet", "/apis/apps/v1/namespaces/%s/replicasets/%s",
          "apps/v1/StatefulSet", "/apis/apps/v1/namespaces/%s/statefulsets/%s",
          "apps/v1/DaemonSet", "/apis/apps/v1/namespaces/%s/daemonsets/%s",
          "batch/v1/Job", "/apis/batch/v1/namespaces/%s/jobs/%s",
          "v1/ReplicationController", "/api/v1/namespaces/%s/replicationcontrollers/%s");

  private final Function<String, CompletableFuture<Optional<JsonNode>>> read;
  private final Semaphore turns = new Semaphore(READS_AT_ONCE, true);

  /**
   * @param read reads the object at a path; empty if it does not exist
   */
  PodOrigins(Function<String, CompletableFuture<Optional<JsonNode>>> read) {
    this.read = read;
  }

  /** The object from which the pod was created. */
  record Source(String path, String uid) {
    /** Returns the source of a pod; empty if it is not known. */
    static Optional<Source> of(FedPod pod) {
      String namespace = pod.ref().namespace();
      Optional<OwnerReference> templated =
          pod.controller().filter(owner -> TEMPLATED.containsKey(kind(owner)));
      if (templated.isPresent()) {
        // Any user can write owner references, and an invalid name is never part of a path.
        return templated
            .filter(owner -> ObjectNames.isValid(owner.getName()))
            .map(
                owner ->
                    new Source(
                        TEMPLATED.get(kind(owner)).formatted(namespace, owner.getName()),
                        owner.getUid()));
      }
      return mayBeRendered(pod)
          ? Optional.empty()
          : Optional.of(
              new Source(
                  "/api/v1/namespaces/%s/pods/%s".formatted(namespace, pod.ref().name()),
                  pod.ref().uid()));
    }

    /**
     * Returns whether something may have been rendered into a pod. A binding that allows overrides
     * leaves no record of the group that it makes of an owner's pods.
     */
    private static boolean mayBeRendered(FedPod pod) {
      return pod.annotations().containsKey(Annotations.APPLIED)
          || (pod.controller().isPresent() && pod.annotations().containsKey(Annotations.GROUP));
    }

    private static String kind(OwnerReference owner) {
      return owner.getApiVersion() + "/" + owner.getKind();
    }
  }

  /** The origin of a pod. */
  sealed interface Origin {
    /**
     * The origin was read.
     *
     * @param source the object that was read
     * @param pod the metadata and the spec of the pod as its author wrote them, with one empty
     *     container and without volumes
     */
    record Known(Source source, ObjectNode pod) implements Origin {}

    /** The origin cannot be known. */
    record Unknown() implements Origin {}

    /** The origin was not read, because the time ran out or reads failed. */
    record NotRead() implements Origin {}
  }

  /**
   * The origins that were read.
   *
   * @param bySource the pods; empty where there is none any more
   * @param failure why a read failed; empty if none did
   */
  record Origins(Map<Source, Optional<ObjectNode>> bySource, Optional<String> failure) {
    /** Returns the origin of a pod. */
    Origin of(FedPod pod) {
      Optional<Source> source = Source.of(pod);
      if (source.isEmpty()) {
        return new Origin.Unknown();
      }
      Optional<ObjectNode> read = bySource.get(source.get());
      if (read == null) {
        return new Origin.NotRead();
      }
      return read.<Origin>map(origin -> new Origin.Known(source.get(), origin))
          .orElseGet(Origin.Unknown::new);
    }
  }

  /**
   * Reads the origins of pods. Waits until they are read, or {@link #PATIENCE} has passed.
   *
   * @throws InterruptedException if interrupted while waiting
   */
  Origins read(Stream<FedPod> pods) throws InterruptedException {
    Set<Source> sources = new LinkedHashSet<>();
    pods.forEach(pod -> Source.of(pod).ifPresent(sources::add));
    long end = System.nanoTime() + PATIENCE.toNanos();
    Semaphore own = new Semaphore(READS_OF_A_REVIEW);
    Map<Source, CompletableFuture<Optional<JsonNode>>> asked = new LinkedHashMap<>();
    for (Source source : sources.stream().limit(MOST_READ).toList()) {
      if (!own.tryAcquire(end - System.nanoTime(), TimeUnit.NANOSECONDS)
          || !turns.tryAcquire(end - System.nanoTime(), TimeUnit.NANOSECONDS)) {
        break;
      }
      asked.put(
          source,
          started(source.path())
              .whenComplete(
                  (object, failed) -> {
                    turns.release();
                    own.release();
                  }));
    }
    Map<Source, Optional<ObjectNode>> found = new HashMap<>();
    Optional<String> failure = Optional.empty();
    for (Map.Entry<Source, CompletableFuture<Optional<JsonNode>>> each : asked.entrySet()) {
      try {
        Optional<JsonNode> object =
            each.getValue().get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
        found.put(
            each.getKey(),
            object
                .filter(it -> it.at("/metadata/uid").asText().equals(each.getKey().uid()))
                .flatMap(PodOrigins::podOf));
      } catch (TimeoutException e) {
        failure = failure.or(() -> Optional.of("the API server did not answer in time"));
      } catch (ExecutionException e) {
        failure = failure.or(() -> Optional.of(String.valueOf(e.getCause().getMessage())));
      }
    }
    return new Origins(Map.copyOf(found), failure);
  }

  private CompletableFuture<Optional<JsonNode>> started(String path) {
    try {
      return read.apply(path);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
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
