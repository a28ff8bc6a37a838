package io.berth.operator.gpu;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.engine.Decision.Placed;
import io.berth.engine.PodRef;
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
 * Takes the lock of a node before a pod is bound to it, where the decision has a {@link
 * NodeLockStep}, and gives it back where the Binding failed; otherwise the node's agent does.
 *
 * <p>The lock is written to the version of the node that was read, so that of two who try one gets
 * it. The lock of a pod that is gone, or that has expired, is replaced.
 */
public final class NodeLocks implements VolumePreparation {
  private static final Logger LOG = LoggerFactory.getLogger(NodeLocks.class);
  private static final String MERGE = "application/merge-patch+json";
  private static final Duration LOOK_EVERY = Duration.ofMillis(100);

  /** About half a minute: the agent holds the lock for as long as it gives a pod its cards. */
  private static final int LOOKS = 300;

  private static final int RELEASE_ATTEMPTS = 5;

  private final ApiCalls api;
  private final VolumePreparation volumes;
  private final Clock clock;

  /**
   * @param volumes what is to be done before the lock is taken, as it may take minutes
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

  /** Gives back the lock that was taken for a pod which is not going to be bound now. */
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

  /** One try to get a lock. */
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

    /** The lock of a pod that was deleted or has terminated is free. */
    private void holderFound(NodeLock lock, Answer holder, JsonNode metadata) {
      if (holder.code() == HttpURLConnection.HTTP_NOT_FOUND) {
        take(metadata);
      } else {
        again(
            "node %s is locked for pod %s/%s since %s, whose GPU cards are being handed out"
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
