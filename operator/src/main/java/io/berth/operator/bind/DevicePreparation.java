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
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Writes the devices of a pod's resource claims before the pod is bound: creates the claim for its
 * extended resources, adds the finalizer, writes allocation and reservation of each claim at once,
 * waits until devices that have to be prepared are, and looks whether another scheduler has given
 * them away. Volumes are prepared first, because that fails more often. A write is for the version
 * of the claim that was read, and is repeated after a conflict with a fresh look at the claim.
 */
public final class DevicePreparation extends WrappedPreparation {
  private static final int ATTEMPTS = 8;
  private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(50), Duration.ofSeconds(5));
  private static final Duration LOOK_EVERY = Duration.ofSeconds(1);
  private static final Duration DEALLOCATION_LOOK = Duration.ofMillis(200);

  /** The time after which the API server does not execute a request any more, and some reserve. */
  static final Duration EXECUTED_WITHIN = Duration.ofSeconds(70);

  /** The time for preparing devices, as in kube-scheduler. */
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  private final ApiCalls api;
  private final FairCalls calls;
  private final UntilKnown untilKnown;
  private final KnownClaims known;
  private final SentClaimWrites writes;
  private final ClaimDeallocations deallocations;
  private final DeviceConflicts conflicts;
  private final InstantSource clock;

  /**
   * @param volumes prepares what else a pod needs
   * @param known the claims that the engine knows
   * @param deallocations the requests that take devices from claims
   */
  public DevicePreparation(
      ApiCalls api,
      VolumePreparation volumes,
      KnownClaims known,
      ClaimDeallocations deallocations,
      InstantSource clock) {
    super(volumes);
    this.api = api;
    this.calls = new FairCalls(api);
    this.untilKnown = new UntilKnown(api, calls, BACKOFF, ATTEMPTS);
    this.known = known;
    this.writes = new SentClaimWrites(api, calls, known);
    this.deallocations = deallocations;
    this.conflicts = new DeviceConflicts(api, calls, known, deallocations);
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

  @Override
  public void settle(Placed placed, Runnable then) {
    writes.settle(placed.pod(), () -> super.settle(placed, then));
  }

  @Override
  public void bound(Placed placed) {
    writes.forget(placed.pod());
    super.bound(placed);
  }

  /**
   * Returns the claims in the order in which they are written: first the one for extended
   * resources, since it is the one that has to be created, which a quota may refuse.
   */
  private static Queue<ClaimAllocation> inOrderOfWriting(List<ClaimAllocation> steps) {
    Queue<ClaimAllocation> ordered = new ArrayDeque<>();
    steps.stream().filter(step -> step.extended().isPresent()).forEach(ordered::add);
    steps.stream().filter(step -> step.extended().isEmpty()).forEach(ordered::add);
    return ordered;
  }

  private static String nameOf(JsonNode claim) {
    return claim.path("metadata").path("name").asText();
  }

  private static String versionOf(JsonNode claim) {
    return claim.path("metadata").path("resourceVersion").asText();
  }

  /** The preparation of one pod. Its parts run one after another. */
  private final class Preparation implements ExtendedClaimCreation.Surroundings {
    private final Placed placed;
    private final Queue<ClaimAllocation> toWrite;
    private final BooleanSupplier wanted;
    private final Runnable ready;
    private final Consumer<String> failed;

    /** The time when everything was written, at which the wait for the devices began. */
    private long began;

    /** A claim whose devices have to be prepared. */
    private record Awaited(ClaimAllocation step, String name) {
      String path() {
        return ClaimWrites.path(step.namespace(), name);
      }
    }

    private final Queue<Awaited> toAwait = new ArrayDeque<>();
    private final List<DeviceConflicts.Held> held = new ArrayList<>();

    Preparation(
        Placed placed,
        List<ClaimAllocation> steps,
        BooleanSupplier wanted,
        Runnable ready,
        Consumer<String> failed) {
      this.placed = placed;
      this.toWrite = inOrderOfWriting(steps);
      this.wanted = wanted;
      this.ready = ready;
      this.failed = failed;
    }

    /** Writes the next claim; after the last one, waits for the devices. */
    @Override
    public void next() {
      ClaimAllocation step = toWrite.poll();
      if (step == null) {
        began = api.nanoTime();
        await();
      } else if (step.extended().isPresent()) {
        new ExtendedClaimCreation(this, placed, step).start();
      } else {
        new Claim(step, ClaimWrites.path(step.namespace(), step.claimName())).start();
      }
    }

    @Override
    public void write(ClaimAllocation step, JsonNode created, Runnable then) {
      Claim claim =
          new Claim(
              step,
              ClaimWrites.path(step.namespace(), created.path("metadata").path("name").asText()),
              then);
      claim.write(created, 1);
    }

    @Override
    public void fail(String why) {
      if (wanted.getAsBoolean()) {
        failed.accept(why);
      }
    }

    @Override
    public void send(FairCalls.Request request, int attempt, Consumer<Answer> answered) {
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
      Awaited awaited = toAwait.peek();
      if (awaited == null) {
        conflicts.look(placed.pod(), held, wanted, ready, failed);
        return;
      }
      if (isShownAsWaiting(awaited) && api.nanoTime() - began <= PATIENCE.toNanos()) {
        api.later(LOOK_EVERY, this::await);
        return;
      }
      send(
          (sent, then) -> sent.get(awaited.path(), then),
          1,
          answer -> {
            JsonNode claim = answer.json();
            if (!answer.ok()) {
              fail(answer.message());
              return;
            }
            if (!new ClaimWrites(awaited.step(), placed.pod(), claim).isComplete()) {
              fail(
                  "ResourceClaim %s lost its devices while they were being prepared"
                      .formatted(nameOf(claim)));
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
                      .formatted(nameOf(claim), PATIENCE.toMinutes()));
            } else {
              api.later(LOOK_EVERY, this::await);
            }
          });
    }

    /**
     * Returns whether the watch shows that devices are still being prepared, so that the claim need
     * not be read.
     */
    private boolean isShownAsWaiting(Awaited awaited) {
      return known
          .find(awaited.step().namespace(), awaited.name())
          .filter(claim -> new ClaimWrites(awaited.step(), placed.pod(), claim).isComplete())
          .filter(claim -> ClaimWrites.failureOfDevices(claim).isEmpty())
          .filter(claim -> !ClaimWrites.areDevicesReady(claim))
          .isPresent();
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

      /**
       * Writes the claim as the watch has shown it. If that is outdated, the write is rejected, and
       * the claim is read. It is read first if there is nothing to write, or no way to write it.
       */
      void start() {
        Optional<JsonNode> shown =
            known
                .find(step.namespace(), step.claimName())
                .filter(
                    claim -> {
                      ClaimWrites missing = new ClaimWrites(step, placed.pod(), claim);
                      return !missing.isComplete() && missing.obstacle().isEmpty();
                    });
        if (shown.isPresent()) {
          write(shown.get(), 1);
        } else {
          read(1);
        }
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
        if (deallocations.isUnderWay(claim)) {
          readAfterDeallocation(claim, attempt);
          return;
        }
        ClaimWrites missing = new ClaimWrites(step, placed.pod(), claim);
        if (missing.isComplete()) {
          writes.found(placed.pod(), nameOf(claim), versionOf(claim));
          written(claim);
          return;
        }
        Optional<String> obstacle = missing.obstacle();
        if (obstacle.isPresent()) {
          fail(obstacle.get());
        } else if (missing.needsFinalizer()) {
          send(
              (sent, to) -> sent.patch(path, ApiCalls.MERGE_PATCH, missing.finalizer(), to),
              1,
              answer -> then(answer, attempt, written -> write(written, attempt)));
        } else {
          writeStatus(missing, attempt);
        }
      }

      private void readAfterDeallocation(JsonNode claim, int attempt) {
        api.later(
            DEALLOCATION_LOOK,
            () -> {
              if (wanted.getAsBoolean() && deallocations.isUnderWay(claim)) {
                readAfterDeallocation(claim, attempt);
              } else {
                read(attempt);
              }
            });
      }

      private void writeStatus(ClaimWrites missing, int attempt) {
        // Recorded first: who settles a placement that is not wanted any more sees it.
        writes.sending(placed.pod(), nameOf(missing.claim()));
        if (!wanted.getAsBoolean()) {
          writes.answered(placed.pod(), nameOf(missing.claim()), Optional.empty());
          return;
        }
        Instant now = clock.instant();
        sendUntilKnown(missing, missing.status(now), attempt);
      }

      /**
       * Sends a write of devices until an answer says whether it was executed, even if the
       * placement is not wanted any more. After some attempts, the claim is read when none can be
       * executed any more.
       */
      private void sendUntilKnown(ClaimWrites missing, JsonNode status, int attempt) {
        untilKnown.send(
            placed.pod().namespace(),
            (sent, to) -> sent.patch(path + "/status", ApiCalls.MERGE_PATCH, status, to),
            (answer, inDoubt) -> {
              if (answer.ambiguous()) {
                api.later(
                    EXECUTED_WITHIN,
                    () ->
                        lookWhetherExecuted(
                            missing, 1, () -> then(answer, attempt, this::written)));
              } else if (inDoubt && !answer.ok() && !answer.wasNotSent()) {
                lookWhetherExecuted(missing, 1, () -> then(answer, attempt, this::written));
              } else if (!answer.wasNotSent()) {
                writes.answered(
                    placed.pod(),
                    nameOf(missing.claim()),
                    answer.ok() ? Optional.of(versionOf(answer.json())) : Optional.empty());
                then(answer, attempt, this::written);
              }
            });
      }

      /** Reads a claim that cannot be written because an earlier request may have written it. */
      private void lookWhetherExecuted(ClaimWrites missing, int looking, Runnable known) {
        calls.send(
            placed.pod().namespace(),
            (sent, to) -> sent.get(path, to),
            answer -> {
              if (answer.ok() || answer.code() == HttpURLConnection.HTTP_NOT_FOUND) {
                boolean executed =
                    answer.ok() && new ClaimWrites(step, placed.pod(), answer.json()).isComplete();
                writes.answered(
                    placed.pod(),
                    nameOf(missing.claim()),
                    executed ? Optional.of(versionOf(answer.json())) : Optional.empty());
                known.run();
              } else if (!answer.wasNotSent()) {
                api.later(
                    BACKOFF.pause(looking, answer.retryAfter(), api.random()),
                    () -> lookWhetherExecuted(missing, looking + 1, known));
              }
            });
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
        held.add(new DeviceConflicts.Held(claim));
        if (ClaimWrites.haveDevicesToBePrepared(claim)) {
          toAwait.add(new Awaited(step, nameOf(claim)));
        }
        then.run();
      }
    }
  }
}
