package io.berth.operator.gpu;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.engine.api.Decision.Placed;
import io.berth.engine.model.PodRef;
import io.berth.operator.api.Answer;
import io.berth.operator.api.ApiCalls;
import io.berth.operator.api.LimitedLog;
import io.berth.operator.api.LogKeys;
import io.berth.operator.bind.VolumePreparation;
import io.berth.operator.bind.WrappedPreparation;
import java.net.HttpURLConnection;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Acquires a node's lock before a pod is bound to it, if the placement has a {@link NodeLockStep},
 * and releases it if the Binding fails. After a successful Binding, the node's agent releases it.
 *
 * <p>The write is conditional on the node's resource version, so that only one of several
 * competitors acquires the lock. A lock that has expired, or whose pod is gone or has ended, is
 * replaced. Pods that this replica places on the same node, such as those of a group, take turns in
 * the order of their decisions. Each waits for as long as the lock moves on from pod to pod.
 */
public final class NodeLocks extends WrappedPreparation {
  private static final Logger LOG = LoggerFactory.getLogger(NodeLocks.class);
  private static final Duration LOOK_EVERY = Duration.ofMillis(100);

  /** About half a minute, because the agent holds the lock while it gives a pod its cards. */
  private static final int LOOKS = 300;

  /** About three seconds. */
  private static final int LOOKS_BEFORE_REPORT = 30;

  /** The phases of pods that get no more cards. */
  private static final Set<String> ENDED = Set.of("Failed", "Succeeded");

  private static final int RELEASE_ATTEMPTS = 5;

  private final ApiCalls api;
  private final Clock clock;
  private final LimitedLog log;
  private final BiConsumer<PodRef, String> onWait;

  /** The attempts by node, in the order of their turns. Guarded by this. */
  private final Map<String, Deque<Acquisition>> turns = new HashMap<>();

  /**
   * @param volumes the preparation that runs before the lock is acquired, since it may take minutes
   * @param onWait called once for a pod that has waited for a lock for some seconds, with the
   *     reason
   */
  public NodeLocks(
      ApiCalls api, VolumePreparation volumes, Clock clock, BiConsumer<PodRef, String> onWait) {
    super(volumes);
    this.api = api;
    this.clock = clock;
    this.log = new LimitedLog(api::nanoTime);
    this.onWait = onWait;
  }

  @Override
  public void prepare(
      Placed placed, BooleanSupplier wanted, Runnable ready, Consumer<String> failed) {
    Optional<NodeLockStep> lock = placed.step(NodeLockStep.class);
    if (lock.isEmpty()) {
      volumes.prepare(placed, wanted, ready, failed);
      return;
    }
    volumes.prepare(
        placed.without(lock.get()),
        wanted,
        () -> begin(new Acquisition(lock.get(), wanted, ready, failed)),
        failed);
  }

  private void begin(Acquisition attempt) {
    synchronized (this) {
      Deque<Acquisition> queue =
          turns.computeIfAbsent(attempt.step.nodeName(), node -> new ArrayDeque<>());
      queue.addLast(attempt);
      if (queue.getFirst() != attempt) {
        return;
      }
    }
    attempt.look();
  }

  /** Ends the turn of an attempt, and begins that of the next one. */
  private void over(Acquisition attempt) {
    Acquisition next;
    synchronized (this) {
      Deque<Acquisition> queue = turns.get(attempt.step.nodeName());
      if (queue == null || queue.peekFirst() != attempt) {
        return;
      }
      queue.removeFirst();
      next = queue.peekFirst();
      if (next == null) {
        turns.remove(attempt.step.nodeName());
      }
    }
    if (next != null) {
      api.later(LOOK_EVERY, next::look);
    }
  }

  /** Releases the lock that was acquired for a pod whose Binding failed. */
  void release(Placed placed) {
    placed.step(NodeLockStep.class).ifPresent(step -> release(step, RELEASE_ATTEMPTS));
  }

  private void release(NodeLockStep step, int attempts) {
    api.get(
        path(step.nodeName()),
        answer -> {
          JsonNode metadata = answer.json().path("metadata");
          if (answer.ok() && isOf(step.pod(), metadata)) {
            api.patch(
                path(step.nodeName()),
                ApiCalls.MERGE_PATCH,
                patch(metadata, Optional.empty()),
                patched -> againUnlessDone(patched, step, attempts));
          } else if (!answer.ok()) {
            againUnlessDone(answer, step, attempts);
          }
        });
  }

  private void againUnlessDone(Answer answer, NodeLockStep step, int attempts) {
    if (answer.ok() || answer.wasNotSent() || answer.code() == HttpURLConnection.HTTP_NOT_FOUND) {
      return;
    }
    if (attempts > 1) {
      api.later(LOOK_EVERY, () -> release(step, attempts - 1));
    } else {
      log.refused(
              answer.code(),
              ("The lock of node %s that was acquired for pod %s could not be released: %s. It"
                      + " expires after %d min")
                  .formatted(
                      step.nodeName(), step.pod(), answer.message(), NodeLock.EXPIRY.toMinutes()))
          .ifPresent(LogKeys.pod(step.pod()).andNode(step.nodeName()).warn(LOG));
    }
  }

  private static boolean isOf(PodRef pod, JsonNode metadata) {
    String value = metadata.path("annotations").path(NodeLock.ANNOTATION).asText("");
    try {
      return !value.isEmpty() && NodeLock.parse(value).isOf(pod);
    } catch (MalformedException e) {
      return false;
    }
  }

  private static ObjectNode patch(JsonNode metadata, Optional<String> lock) {
    ObjectNode patch = JsonNodeFactory.instance.objectNode();
    ObjectNode annotations =
        patch
            .putObject("metadata")
            .put("resourceVersion", metadata.path("resourceVersion").asText(""))
            .putObject("annotations");
    lock.ifPresentOrElse(
        value -> annotations.put(NodeLock.ANNOTATION, value),
        () -> annotations.putNull(NodeLock.ANNOTATION));
    return patch;
  }

  private static String path(String nodeName) {
    return "/api/v1/nodes/" + nodeName;
  }

  /** An attempt to acquire a lock. */
  private final class Acquisition {
    private final NodeLockStep step;
    private final BooleanSupplier wanted;
    private final Runnable ready;
    private final Consumer<String> failed;
    private int looks;
    private String holder = "";

    Acquisition(
        NodeLockStep step, BooleanSupplier wanted, Runnable ready, Consumer<String> failed) {
      this.step = step;
      this.wanted = wanted;
      this.ready =
          () -> {
            ready.run();
            over(this);
          };
      this.failed =
          reason -> {
            failed.accept(reason);
            over(this);
          };
    }

    void look() {
      if (wanted.getAsBoolean()) {
        api.get(path(step.nodeName()), this::found);
      } else {
        over(this);
      }
    }

    private void again(String reason) {
      looks++;
      if (looks == LOOKS_BEFORE_REPORT) {
        onWait.accept(step.pod(), reason);
      }
      if (looks < LOOKS) {
        api.later(LOOK_EVERY, this::look);
      } else {
        failed.accept(reason);
      }
    }

    /** Restarts the time limit if the lock is another pod's than before. */
    private void isHeldBy(NodeLock lock) {
      if (!lock.text().equals(holder)) {
        holder = lock.text();
        looks = 0;
      }
    }

    private void found(Answer answer) {
      if (answer.wasNotSent()) {
        over(this);
        return;
      }
      if (answer.code() == HttpURLConnection.HTTP_NOT_FOUND) {
        failed.accept("node " + step.nodeName() + " is gone");
        return;
      }
      JsonNode metadata = answer.json().path("metadata");
      if (!answer.ok() || metadata.isMissingNode()) {
        again("node " + step.nodeName() + " cannot be read: " + answer.message());
        return;
      }
      String value = metadata.path("annotations").path(NodeLock.ANNOTATION).asText("");
      if (value.isEmpty()) {
        take(metadata);
        return;
      }
      try {
        decide(NodeLock.parse(value), metadata);
      } catch (MalformedException e) {
        failed.accept(
            "annotation %s of node %s cannot be read: %s; remove it"
                .formatted(NodeLock.ANNOTATION, step.nodeName(), e.getMessage()));
      }
    }

    private void decide(NodeLock lock, JsonNode metadata) {
      if (lock.isExpired(clock.instant())) {
        take(metadata);
      } else if (lock.isOf(step.pod())) {
        ready.run();
      } else if (lock.name().isEmpty()) {
        isHeldBy(lock);
        again("node " + step.nodeName() + " is locked since " + lock.since());
      } else {
        api.get(
            "/api/v1/namespaces/" + lock.namespace() + "/pods/" + lock.name(),
            holder -> holderFound(lock, holder, metadata));
      }
    }

    /** Replaces the lock of a pod that was deleted or has ended, and waits for any other. */
    private void holderFound(NodeLock lock, Answer holder, JsonNode metadata) {
      if (holder.code() == HttpURLConnection.HTTP_NOT_FOUND
          || (holder.ok()
              && ENDED.contains(holder.json().path("status").path("phase").asText("")))) {
        take(metadata);
      } else {
        isHeldBy(lock);
        again(
            "node %s is locked for pod %s/%s since %s, which is being given its GPU cards"
                .formatted(step.nodeName(), lock.namespace(), lock.name(), lock.since()));
      }
    }

    private void take(JsonNode metadata) {
      if (!wanted.getAsBoolean()) {
        over(this);
        return;
      }
      String lock = NodeLock.of(step.pod(), clock.instant()).text();
      api.patch(
          path(step.nodeName()),
          ApiCalls.MERGE_PATCH,
          patch(metadata, Optional.of(lock)),
          this::taken);
    }

    private void taken(Answer answer) {
      if (answer.wasNotSent()) {
        over(this);
        return;
      }
      if (answer.code() == HttpURLConnection.HTTP_FORBIDDEN) {
        failed.accept("node " + step.nodeName() + " cannot be locked: " + answer.message());
      } else if (!answer.ok()) {
        again("node " + step.nodeName() + " cannot be locked: " + answer.message());
      } else if (wanted.getAsBoolean()) {
        ready.run();
      } else {
        NodeLocks.this.release(step, RELEASE_ATTEMPTS);
        over(this);
      }
    }
  }
}
