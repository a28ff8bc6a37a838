package io.berth.operator.bind;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.engine.api.Decision.Placed;
import io.berth.engine.devices.ClaimAllocation;
import io.berth.engine.model.PreBindStep;
import io.berth.operator.api.Answer;
import io.berth.operator.api.ApiCalls;
import io.berth.operator.api.Backoff;
import io.berth.operator.api.FairCalls;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Writes the devices of a pod's resource claims before the pod is bound: creates the claim for its
 * extended resources, adds the finalizer, writes allocation and reservation of each claim at once,
 * and waits until devices that have to be prepared are. Volumes are prepared first, because that
 * fails more often. A write is for the version of the claim that was read, and is repeated after a
 * conflict with a fresh look at the claim.
 */
public final class DevicePreparation implements VolumePreparation {
  private static final String MERGE = "application/merge-patch+json";
  private static final int ATTEMPTS = 8;
  private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(50), Duration.ofSeconds(5));
  private static final Duration LOOK_EVERY = Duration.ofSeconds(1);

  /** The time for preparing devices, as in kube-scheduler. */
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  private final ApiCalls api;
  private final FairCalls calls;
  private final VolumePreparation volumes;
  private final InstantSource clock;

  /**
   * @param volumes prepares what else a pod needs
   */
  public DevicePreparation(ApiCalls api, VolumePreparation volumes, InstantSource clock) {
    this.api = api;
    this.calls = new FairCalls(api);
    this.volumes = volumes;
    this.clock = clock;
  }

  @Override
  public void prepare(
      Placed placed, BooleanSupplier wanted, Runnable ready, Consumer<String> failed) {
    List<ClaimAllocation> steps = PreBindStep.ofType(placed.preBind(), ClaimAllocation.class);
    if (steps.isEmpty()) {
      volumes.prepare(placed, wanted, ready, failed);
      return;
    }
    Placed rest = placed;
    for (ClaimAllocation step : steps) {
      rest = rest.without(step);
    }
    Preparation preparation = new Preparation(placed, steps, wanted, ready, failed);
    volumes.prepare(rest, wanted, preparation::next, failed);
  }

  /** The preparation of one pod. Its parts run one after another. */
  private final class Preparation {
    private final Placed placed;
    private final Queue<ClaimAllocation> toWrite;
    private final BooleanSupplier wanted;
    private final Runnable ready;
    private final Consumer<String> failed;
    private final long began = api.nanoTime();

    /** The paths of the claims whose devices have to be prepared. */
    private final Queue<String> toAwait = new ArrayDeque<>();

    Preparation(
        Placed placed,
        List<ClaimAllocation> steps,
        BooleanSupplier wanted,
        Runnable ready,
        Consumer<String> failed) {
      this.placed = placed;
      this.toWrite = new ArrayDeque<>(steps);
      this.wanted = wanted;
      this.ready = ready;
      this.failed = failed;
    }

    /** Writes the next claim; after the last one, waits for the devices. */
    void next() {
      ClaimAllocation step = toWrite.poll();
      if (step == null) {
        await();
      } else if (step.extended().isPresent()) {
        new ExtendedClaimCreation(this, placed, step).start();
      } else {
        new Claim(step, ClaimWrites.path(step.namespace(), step.claimName())).read(1);
      }
    }

    /** Continues with the claim for extended resources, which exists now. */
    void write(ClaimAllocation step, JsonNode created, Runnable then) {
      Claim claim =
          new Claim(
              step,
              ClaimWrites.path(step.namespace(), created.path("metadata").path("name").asText()),
              then);
      claim.write(created, 1);
    }

    void fail(String why) {
      if (wanted.getAsBoolean()) {
        failed.accept(why);
      }
    }

    /**
     * Sends a request, and repeats it while the server is overloaded or does not answer.
     *
     * @param answered receives an answer that says whether the request was executed; a request that
     *     may have been executed before is repeated too
     */
    void send(FairCalls.Request request, int attempt, Consumer<Answer> answered) {
      if (!wanted.getAsBoolean()) {
        return;
      }
      calls.send(
          placed.pod().namespace(),
          request,
          answer -> {
            if ((answer.throttled() || answer.ambiguous()) && attempt < ATTEMPTS) {
              api.later(
                  BACKOFF.pause(attempt, answer.retryAfter(), api.random()),
                  () -> send(request, attempt + 1, answered));
            } else if (!answer.wasNotSent()) {
              answered.accept(answer);
            }
          });
    }

    private void await() {
      if (!wanted.getAsBoolean()) {
        return;
      }
      String path = toAwait.peek();
      if (path == null) {
        ready.run();
        return;
      }
      send(
          (sent, then) -> sent.get(path, then),
          1,
          answer -> {
            JsonNode claim = answer.json();
            if (!answer.ok()) {
              fail(answer.message());
              return;
            }
            Optional<String> failure = ClaimWrites.failureOfDevices(claim);
            if (failure.isPresent()) {
              fail(failure.get());
            } else if (ClaimWrites.areDevicesReady(claim)) {
              toAwait.remove();
              await();
            } else if (api.nanoTime() - began > PATIENCE.toNanos()) {
              fail(
                  "the devices of ResourceClaim %s were not prepared within %d minutes"
                      .formatted(
                          claim.path("metadata").path("name").asText(), PATIENCE.toMinutes()));
            } else {
              api.later(LOOK_EVERY, this::await);
            }
          });
    }

    /** One claim. */
    private final class Claim {
      private final ClaimAllocation step;
      private final String path;
      private final Runnable then;

      Claim(ClaimAllocation step, String path) {
        this(step, path, Preparation.this::next);
      }

      Claim(ClaimAllocation step, String path, Runnable then) {
        this.step = step;
        this.path = path;
        this.then = then;
      }

      void read(int attempt) {
        send(
            (sent, to) -> sent.get(path, to),
            1,
            answer -> {
              if (answer.ok()) {
                write(answer.json(), attempt);
              } else {
                fail(answer.message());
              }
            });
      }

      /** Writes what is missing of the finalizer, the allocation, and the reservation. */
      void write(JsonNode claim, int attempt) {
        ClaimWrites writes = new ClaimWrites(step, placed.pod(), claim);
        if (writes.isComplete()) {
          written(claim);
          return;
        }
        Optional<String> obstacle = writes.obstacle();
        if (obstacle.isPresent()) {
          fail(obstacle.get());
        } else if (writes.needsFinalizer()) {
          send(
              (sent, to) -> sent.patch(path, MERGE, writes.finalizer(), to),
              1,
              answer -> then(answer, attempt, written -> write(written, attempt)));
        } else {
          Instant now = clock.instant();
          send(
              (sent, to) -> sent.patch(path + "/status", MERGE, writes.status(now), to),
              1,
              answer -> then(answer, attempt, this::written));
        }
      }

      private void then(Answer answer, int attempt, Consumer<JsonNode> written) {
        if (answer.ok()) {
          written.accept(answer.json());
        } else if (answer.code() == HttpURLConnection.HTTP_CONFLICT && attempt < ATTEMPTS) {
          api.later(BACKOFF.pause(attempt, Duration.ZERO, api.random()), () -> read(attempt + 1));
        } else {
          fail(answer.message());
        }
      }

      private void written(JsonNode claim) {
        if (ClaimWrites.haveDevicesToBePrepared(claim)) {
          toAwait.add(path);
        }
        then.run();
      }
    }
  }

  /** The creation of the claim for extended resources, which the pod's status then names. */
  private static final class ExtendedClaimCreation {
    private final Preparation preparation;
    private final Placed placed;
    private final ClaimAllocation step;
    private final String name;

    ExtendedClaimCreation(Preparation preparation, Placed placed, ClaimAllocation step) {
      this.preparation = preparation;
      this.placed = placed;
      this.step = step;
      this.name = ExtendedClaims.nameFor(placed.pod());
    }

    void start() {
      preparation.send(
          (sent, to) ->
              sent.post(
                  ClaimWrites.collection(step.namespace()),
                  ExtendedClaims.claim(name, placed.pod(), step),
                  to),
          1,
          answer -> {
            if (answer.ok()) {
              created(answer.json());
            } else if (answer.code() == HttpURLConnection.HTTP_CONFLICT) {
              adopt();
            } else {
              preparation.fail(answer.message());
            }
          });
    }

    /** Continues with a claim that an earlier attempt has created, or removes it. */
    private void adopt() {
      preparation.send(
          (sent, to) -> sent.get(ClaimWrites.path(step.namespace(), name), to),
          1,
          answer -> {
            JsonNode claim = answer.json();
            if (!answer.ok()) {
              preparation.fail(answer.message());
            } else if (!ExtendedClaims.isOf(claim, placed.pod())) {
              preparation.fail("ResourceClaim " + name + " exists, and is not of this pod");
            } else if (new ClaimWrites(step, placed.pod(), claim).isComplete()
                || ExtendedClaims.asksFor(claim, step)) {
              created(claim);
            } else {
              remove(claim);
            }
          });
    }

    private void remove(JsonNode claim) {
      String path = ClaimWrites.path(step.namespace(), name);
      preparation.send(
          (sent, to) -> sent.patch(path, MERGE, ClaimWrites.withoutFinalizer(claim), to),
          1,
          released ->
              preparation.send(
                  (sent, to) -> sent.delete(path, ClaimWrites.deletionOf(claim), to),
                  1,
                  deleted ->
                      preparation.fail(
                          "an earlier attempt left ResourceClaim %s, which is being deleted"
                              .formatted(name))));
    }

    private void created(JsonNode claim) {
      preparation.write(step, claim, this::nameInPod);
    }

    private void nameInPod() {
      String path = "/api/v1/namespaces/" + step.namespace() + "/pods/" + placed.pod().name();
      preparation.send(
          (sent, to) -> sent.get(path, to),
          1,
          pod -> {
            if (!pod.ok()) {
              preparation.fail(pod.message());
              return;
            }
            JsonNode patch = ExtendedClaims.podStatus(name, placed.pod(), pod.json(), step);
            preparation.send(
                (sent, to) -> sent.patch(path + "/status", MERGE, patch, to),
                1,
                answer -> {
                  if (answer.ok()) {
                    preparation.next();
                  } else {
                    preparation.fail(answer.message());
                  }
                });
          });
    }
  }
}
