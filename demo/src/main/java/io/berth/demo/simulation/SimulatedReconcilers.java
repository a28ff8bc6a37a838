package io.berth.demo.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.operator.api.Answer;
import io.berth.operator.api.ApiCalls;
import io.berth.operator.policy.ServedPolicies;
import io.berth.operator.reconcile.AfterFailure;
import io.berth.operator.reconcile.Reconciliation;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The calls of a replica's reconcilers, in place of the library and the threads of the real
 * process. As there, an object is reconciled when its generation changes, when it is nudged, and
 * after a while, on a thread of its own and never twice at a time; and a status that was written is
 * known before the watch delivers it.
 */
final class SimulatedReconcilers {
  private static final String STATUS = "/status?fieldManager=berth&force=true";

  private final VirtualTime time;
  private final SimulatedThreads threads;
  private final ApiCalls api;
  private final BooleanSupplier alive;
  private final Consumer<String> onViolation;
  private final Reconciliation reconciliation;
  private final KubernetesSerialization serialization = new KubernetesSerialization();

  /** The reconciliations of each object, by its UID. */
  private final Map<String, Turns> turns = new TreeMap<>();

  private final Set<String> nudgedPolicies = new HashSet<>();

  /** The reconciliations of one object. */
  private static final class Turns {
    long generation = -1;
    boolean busy;
    boolean nudged;
    long due;
    int failures;

    /** The answer to the last write, until the watch has delivered it. */
    @Nullable HasMetadata written;
  }

  /**
   * @param reconciliation what is called
   * @param served policies whose changes nudge their reconciler
   * @param alive returns whether the replica has not crashed
   */
  SimulatedReconcilers(
      VirtualTime time,
      SimulatedThreads threads,
      ApiCalls api,
      Reconciliation reconciliation,
      ServedPolicies served,
      BooleanSupplier alive,
      Consumer<String> onViolation) {
    this.time = time;
    this.threads = threads;
    this.api = api;
    this.reconciliation = reconciliation;
    this.alive = alive;
    this.onViolation = onViolation;
    served.onChange(nudgedPolicies::add);
  }

  /** Starts to reconcile. */
  void start() {
    every(Reconciliation.SETTLE, this::look);
    every(Reconciliation.REPAIR_EVERY, this::repair);
  }

  /** Runs a task on a simulated thread again and again, with a pause before each. */
  private void every(Duration pause, Runnable task) {
    time.later(
        pause,
        () -> {
          if (alive.getAsBoolean()) {
            threads.fork(
                () -> {
                  task.run();
                  every(pause, task);
                });
          }
        });
  }

  private void repair() {
    reconciliation
        .missed()
        .ifPresent(object -> onViolation.accept(name(object) + " was not reconciled in time"));
    reconciliation.repair();
  }

  private void look() {
    for (HasMetadata changed : reconciliation.changed()) {
      turns(changed).nudged = true;
    }
    Map<String, HasMetadata> objects = new TreeMap<>();
    reconciliation.objects().forEach(object -> objects.put(object.getMetadata().getUid(), object));
    turns.keySet().retainAll(objects.keySet());
    objects.values().forEach(this::consider);
    nudgedPolicies.clear();
  }

  private Turns turns(HasMetadata object) {
    return turns.computeIfAbsent(object.getMetadata().getUid(), uid -> new Turns());
  }

  private void consider(HasMetadata object) {
    Turns of = turns(object);
    boolean isNew = object.getMetadata().getGeneration() > of.generation;
    if (object.getKind().equals("SchedulingPolicy")
        && nudgedPolicies.contains(object.getMetadata().getName())) {
      of.nudged = true;
    }
    if (!of.busy && (isNew || of.nudged || of.due <= time.nanoTime())) {
      of.busy = true;
      of.nudged = false;
      threads.fork(() -> reconcile(newest(object, of), of));
    }
  }

  /** Returns the latest known state of an object. */
  private static HasMetadata newest(HasMetadata fed, Turns of) {
    HasMetadata written = of.written;
    if (written == null || version(written) <= version(fed)) {
      of.written = null;
      return fed;
    }
    return written;
  }

  private static long version(HasMetadata object) {
    return Long.parseLong(object.getMetadata().getResourceVersion());
  }

  private void reconcile(HasMetadata object, Turns of) {
    of.generation = object.getMetadata().getGeneration();
    Optional<HasMetadata> patch = reconciliation.reconcile(object);
    Optional<KubernetesClientException> failure =
        patch.flatMap(status -> write(object, status, of));
    if (failure.isEmpty()) {
      of.failures = 0;
      of.due = after(Reconciliation.LOOK_AGAIN);
    } else {
      of.due = dueAgain(reconciliation.failed(object, failure.get()), of);
    }
    of.busy = false;
  }

  /** Applies a status; returns why it could not be applied. */
  private Optional<KubernetesClientException> write(
      HasMetadata object, HasMetadata status, Turns of) {
    JsonNode body = serialization.convertValue(status, ObjectNode.class);
    Answer answer =
        answer(then -> api.patch(path(object), "application/apply-patch+yaml", body, then));
    if (!answer.ok()) {
      return Optional.of(failure(answer));
    }
    of.written = serialization.convertValue(answer.json(), object.getClass());
    return Optional.empty();
  }

  /** Returns when an object whose status could not be written is reconciled again. */
  private long dueAgain(AfterFailure then, Turns of) {
    if (!then.again()) {
      return Long.MAX_VALUE; // unless it changes, or is nudged
    }
    of.failures = then.asked().isZero() ? of.failures + 1 : 0;
    return after(
        Reconciliation.RETRIES.pause(Math.max(1, of.failures), then.asked(), time.random()));
  }

  private long after(Duration pause) {
    return time.nanoTime() + pause.toNanos();
  }

  private static String path(HasMetadata object) {
    String namespace = object.getMetadata().getNamespace();
    return "/apis/"
        + object.getApiVersion()
        + (namespace == null ? "" : "/namespaces/" + namespace)
        + "/"
        + object.getPlural()
        + "/"
        + object.getMetadata().getName()
        + STATUS;
  }

  private Answer answer(Consumer<Consumer<Answer>> request) {
    CompletableFuture<Answer> answered = new CompletableFuture<>();
    request.accept(answered::complete);
    return threads.await(answered);
  }

  /** Returns the exception that the client of the real process throws for an answer. */
  static KubernetesClientException failure(Answer answer) {
    if (answer.code() <= 0) {
      return new KubernetesClientException(answer.message());
    }
    return new KubernetesClientException(
        answer.message(),
        answer.code(),
        new StatusBuilder()
            .withCode(answer.code())
            .withMessage(answer.message())
            .withNewDetails()
            .withRetryAfterSeconds((int) answer.retryAfter().toSeconds())
            .endDetails()
            .build());
  }

  private static String name(HasMetadata object) {
    return "%s %s/%s"
        .formatted(
            object.getKind(), object.getMetadata().getNamespace(), object.getMetadata().getName());
  }
}
