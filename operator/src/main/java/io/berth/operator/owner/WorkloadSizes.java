package io.berth.operator.owner;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.webhook.binding.Controller;
import io.berth.webhook.binding.LookupAllowance;
import io.berth.webhook.binding.OwnerSize;
import io.berth.webhook.binding.PodSubject;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The sizes of workloads whose pods form groups. They are read from the API server on demand and
 * cached briefly, because a workload may be scaled. Thread-safe.
 */
final class WorkloadSizes {
  /** The time for which a size is cached. */
  static final Duration FRESH = Duration.ofSeconds(10);

  private static final int MOST = 20_000;

  /** Controllers whose pods do not depend on each other. */
  private static final Set<String> NEVER_GROUPS =
      Set.of(
          "v1/ReplicationController",
          "apps/v1/ReplicaSet",
          "apps/v1/StatefulSet",
          "apps/v1/DaemonSet",
          "v1/Node");

  private final Function<String, CompletableFuture<Optional<JsonNode>>> read;
  private final BiFunction<String, Controller, Optional<Controller>> driverOwner;
  private final Map<String, CompletableFuture<OptionalInt>> underWay = new ConcurrentHashMap<>();
  private volatile long mayRead = System.nanoTime();

  // Guarded by itself.
  private final Map<String, Known> sizes =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Known> eldest) {
          return size() > MOST;
        }
      };

  private record Known(OptionalInt pods, long since) {
    boolean isFresh() {
      return System.nanoTime() - since < FRESH.toNanos();
    }
  }

  /** The workload of a pod, and its kind if the spec of that kind defines the number of pods. */
  private record Workload(Controller controller, Optional<SizedKind> kind) {}

  /**
   * @param read reads the object at a path; empty if it does not exist
   * @param driverOwner returns the controller of a pod that is itself a controller, such as a Spark
   *     driver
   */
  WorkloadSizes(
      Function<String, CompletableFuture<Optional<JsonNode>>> read,
      BiFunction<String, Controller, Optional<Controller>> driverOwner) {
    this.read = read;
    this.driverOwner = driverOwner;
  }

  /** Returns the workload of a pod according to the cached sizes; see {@code OwnerLookup}. */
  Optional<OwnerSize> size(PodSubject pod) {
    return workload(pod)
        .map(
            workload ->
                new OwnerSize(
                    name(workload.controller()),
                    workload.kind().isPresent(),
                    known(pod.namespace(), workload).map(Known::pods).orElse(OptionalInt.empty())));
  }

  /**
   * Returns the size of a workload that is not read.
   *
   * @param controller the object that creates its pods
   * @param pods the number of pods of its group; empty if its kind does not define it
   * @return the workload; empty if its kind never forms a group
   */
  static Optional<OwnerSize> of(Controller controller, OptionalInt pods) {
    Optional<SizedKind> kind = SizedKind.of(controller);
    return neverGroups(controller, kind)
        ? Optional.empty()
        : Optional.of(new OwnerSize(name(controller), kind.isPresent(), pods));
  }

  private static boolean neverGroups(Controller controller, Optional<SizedKind> kind) {
    return NEVER_GROUPS.contains(controller.apiVersion() + "/" + controller.kind())
        || kind.equals(Optional.of(SizedKind.SPARK_APPLICATION)); // a driver is not part of a group
  }

  private Optional<Known> known(String namespace, Workload workload) {
    synchronized (sizes) {
      return workload.kind().map(kind -> sizes.get(key(namespace, kind, workload.controller())));
    }
  }

  private static String key(String namespace, SizedKind kind, Controller controller) {
    return kind.path(namespace, controller) + " " + controller.uid();
  }

  /** Returns a name for the group, which differs if the workload is recreated. */
  private static String name(Controller controller) {
    String uid = controller.uid();
    return controller.name() + "-" + uid.substring(0, Math.min(8, uid.length()));
  }

  private Optional<Workload> workload(PodSubject pod) {
    if (pod.controller().isEmpty() || pod.controller().get().uid().isEmpty()) {
      return Optional.empty();
    }
    Controller controller = pod.controller().get();
    Optional<SizedKind> kind = SizedKind.of(controller);
    if (neverGroups(controller, kind)) {
      return Optional.empty();
    }
    return controller.apiVersion().equals("v1") && controller.kind().equals("Pod")
        ? Optional.of(
            driverOwner
                .apply(pod.namespace(), controller)
                .filter(
                    owner -> SizedKind.of(owner).equals(Optional.of(SizedKind.SPARK_APPLICATION)))
                .map(owner -> new Workload(owner, SizedKind.of(owner)))
                .orElse(new Workload(controller, Optional.empty())))
        : Optional.of(new Workload(controller, kind));
  }

  /** Reads the size of a pod's workload, unless it is cached. */
  Optional<String> learn(PodSubject pod) {
    Optional<Workload> workload = workload(pod).filter(found -> found.kind().isPresent());
    if (workload.isEmpty()
        || known(pod.namespace(), workload.get()).filter(Known::isFresh).isPresent()) {
      return Optional.empty();
    }
    if (mayRead - System.nanoTime() > 0) {
      return Optional.of("a recent read of an owner failed");
    }
    if (!LookupAllowance.ofThisThread().take()) {
      return Optional.of(LookupAllowance.USED_UP);
    }
    SizedKind kind = workload.get().kind().get();
    Controller controller = workload.get().controller();
    String failure;
    try {
      ask(pod.namespace(), kind, controller)
          .get(RootOwners.PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
      return Optional.empty();
    } catch (TimeoutException e) {
      failure = "no answer within " + RootOwners.PATIENCE.toMillis() + " ms";
    } catch (ExecutionException e) {
      failure = String.valueOf(e.getCause().getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.of("Berth is shutting down");
    }
    mayRead = System.nanoTime() + RootOwners.PAUSE.toNanos();
    return Optional.of(
        controller.kind() + " " + pod.namespace() + "/" + controller.name() + ": " + failure);
  }

  /** Reads an object, unless a read is already in progress. */
  private CompletableFuture<OptionalInt> ask(
      String namespace, SizedKind kind, Controller controller) {
    String key = key(namespace, kind, controller);
    CompletableFuture<OptionalInt> answer = new CompletableFuture<>();
    @Nullable CompletableFuture<OptionalInt> first = underWay.putIfAbsent(key, answer);
    if (first != null) {
      return first;
    }
    CompletableFuture<Optional<JsonNode>> reading;
    try {
      reading = read.apply(kind.path(namespace, controller));
    } catch (RuntimeException e) {
      reading = CompletableFuture.failedFuture(e);
    }
    var _ =
        reading.whenComplete(
            (found, failure) -> {
              underWay.remove(key);
              if (failure == null) {
                OptionalInt pods =
                    found
                        .filter(it -> it.at("/metadata/uid").asText().equals(controller.uid()))
                        .map(object -> kind.size(object.path("spec")))
                        .orElse(OptionalInt.empty());
                synchronized (sizes) {
                  sizes.put(key, new Known(pods, System.nanoTime()));
                }
                answer.complete(pods);
              } else {
                answer.completeExceptionally(failure);
              }
            });
    return answer;
  }
}
