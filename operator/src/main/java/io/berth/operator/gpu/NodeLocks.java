package io.berth.operator.gpu;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.engine.api.Decision.Placed;
import io.berth.engine.model.PodRef;
import io.berth.operator.api.Answer;
import io.berth.operator.api.ApiCalls;
import io.berth.operator.bind.VolumePreparation;
import java.net.HttpURLConnection;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Acquires a node's lock before a pod is bound to it, if the placement has a {@link NodeLockStep},
 * and releases it if the Binding fails. After a successful Binding, the node's agent releases it.
 *
 * <p>The write is conditional on the node's resource version, so that only one of several
 * competitors acquires the lock. A lock that has expired, or whose pod is gone, is replaced.
 */
public final class NodeLocks implements VolumePreparation {
  private static final Logger LOG = LoggerFactory.getLogger(NodeLocks.class);
  private static final String MERGE = "application/merge-patch+json";
  private static final Duration LOOK_EVERY = Duration.ofMillis(100);

  /** About half a minute, because the agent holds the lock while it gives a pod its cards. */
  private static final int LOOKS = 300;

  private static final int RELEASE_ATTEMPTS = 5;

  private final ApiCalls api;
  private final VolumePreparation volumes;
  private final Clock clock;

  /**
   * @param volumes the preparation that runs before the lock is acquired, since it may take minutes
   */
  public NodeLocks(ApiCalls api, VolumePreparation volumes, Clock clock) {
    this.api = api;
    this.volumes = volumes;
    this.clock = clock;
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
        () -> new Acquisition(lock.get(), wanted, ready, failed).look(),
        failed);
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
                MERGE,
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
      LOG.warn(
          "The lock of node {} that was acquired for pod {} could not be released: {}. It expires"
              + " after {} min",
          step.nodeName(),
          step.pod(),
          answer.message(),
          NodeLock.EXPIRY.toMinutes());
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

    Acquisition(
        NodeLockStep step, BooleanSupplier wanted, Runnable ready, Consumer<String> failed) {
      this.step = step;
      this.wanted = wanted;
      this.ready = ready;
      this.failed = failed;
    }

    void look() {
      if (wanted.getAsBoolean()) {
        api.get(path(step.nodeName()), this::found);
      }
    }

    private void again(String reason) {
      looks++;
      if (looks < LOOKS) {
        api.later(LOOK_EVERY, this::look);
      } else {
        failed.accept(reason);
      }
    }

    private void found(Answer answer) {
      if (answer.wasNotSent()) {
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
        again("node " + step.nodeName() + " is locked since " + lock.since());
      } else {
        api.get(
            "/api/v1/namespaces/" + lock.namespace() + "/pods/" + lock.name(),
            holder -> holderFound(lock, holder, metadata));
      }
    }

    /** Replaces the lock of a pod that was deleted, and waits for any other. */
    private void holderFound(NodeLock lock, Answer holder, JsonNode metadata) {
      if (holder.code() == HttpURLConnection.HTTP_NOT_FOUND) {
        take(metadata);
      } else {
        again(
            "node %s is locked for pod %s/%s since %s, which is being given its GPU cards"
                .formatted(step.nodeName(), lock.namespace(), lock.name(), lock.since()));
      }
    }

    private void take(JsonNode metadata) {
      if (!wanted.getAsBoolean()) {
        return;
      }
      String lock = NodeLock.of(step.pod(), clock.instant()).text();
      api.patch(path(step.nodeName()), MERGE, patch(metadata, Optional.of(lock)), this::taken);
    }

    private void taken(Answer answer) {
      if (answer.wasNotSent()) {
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
      }
    }
  }
}
