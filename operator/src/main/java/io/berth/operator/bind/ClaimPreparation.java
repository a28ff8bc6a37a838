package io.berth.operator.bind;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.engine.Decision.Placed;
import io.berth.engine.PreBindStep;
import io.berth.engine.volume.VolumeStep;
import io.berth.operator.api.Answer;
import io.berth.operator.api.ApiCalls;
import io.berth.operator.api.Backoff;
import java.net.HttpURLConnection;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Binds a pod's claims before the pod: tells the provisioner the node, or the volume its claim, and
 * waits until the watch shows every claim bound. A provisioner that cannot serve the node takes its
 * name off the claim again; the pod is then scheduled again.
 */
public final class ClaimPreparation implements VolumePreparation {

  /** On a claim: the node that its volume is to be made for. */
  public static final String SELECTED_NODE = "volume.kubernetes.io/selected-node";

  private static final String BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller";
  private static final String MERGE = "application/merge-patch+json";
  private static final int ATTEMPTS = 6;
  private static final Backoff BACKOFF =
      new Backoff(Duration.ofMillis(300), Duration.ofSeconds(5), new SecureRandom());
  private static final Duration LOOK_EVERY = Duration.ofMillis(250);
  private static final int LOOKS = 8;

  /** kube-scheduler's bindTimeoutSeconds. */
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  private final ApiCalls api;
  private final Storage storage;

  /**
   * The last state of a claim that the watch showed.
   *
   * @param bound whether it has its volume
   * @param selectedNode its selected-node annotation; empty where it has none
   */
  public record ClaimState(boolean bound, String selectedNode) {}

  /** Claims and volumes as the watch shows them. */
  public interface Storage {
    /** The claim's state; empty where there is no such claim. */
    Optional<ClaimState> claim(String namespace, String name);

    /** The UID of the claim that the volume is bound to or kept for; empty where there is none. */
    Optional<String> holder(String volumeName);
  }

  public ClaimPreparation(ApiCalls api, Storage storage) {
    this.api = api;
    this.storage = storage;
  }

  @Override
  public void prepare(
      Placed placed, BooleanSupplier wanted, Runnable ready, Consumer<String> failed) {
    List<VolumeStep> steps = new ArrayList<>();
    for (PreBindStep step : placed.preBind()) {
      if (!(step instanceof VolumeStep volumeStep)) {
        failed.accept("no way is known to do " + step);
        return;
      }
      steps.add(volumeStep);
    }
    if (steps.isEmpty()) {
      ready.run();
    } else {
      new Preparation(steps, wanted, ready, failed).next();
    }
  }

  private final class Preparation {

    private final Queue<VolumeStep> toWrite;
    private final List<VolumeStep> steps;
    private final BooleanSupplier wanted;
    private final Runnable ready;
    private final Consumer<String> failed;
    private final long began = System.nanoTime();

    /** The steps whose node the watch has shown on the claim: each claim's comes by itself. */
    private final Set<VolumeStep> nodeSeen = new HashSet<>();

    Preparation(
        List<VolumeStep> steps, BooleanSupplier wanted, Runnable ready, Consumer<String> failed) {
      this.steps = steps;
      this.wanted = wanted;
      this.toWrite = new ArrayDeque<>(steps);
      this.ready = ready;
      this.failed = failed;
    }

    /** Writes the steps one after the other, then waits. */
    void next() {
      if (!wanted.getAsBoolean()) {
        return;
      }
      VolumeStep step = toWrite.poll();
      switch (step) {
        case null -> look();
        case VolumeStep.Provision provision ->
            write(claimPath(provision), selectedNode(provision), () -> hasItsNode(provision));
        case VolumeStep.Bind bind -> write(volumePath(bind), claimRef(bind), () -> isGiven(bind));
      }
    }

    private boolean hasItsNode(VolumeStep.Provision step) {
      return storage
          .claim(step.namespace(), step.claimName())
          .filter(claim -> claim.selectedNode().equals(step.nodeName()))
          .isPresent();
    }

    private boolean isGiven(VolumeStep.Bind step) {
      return storage.holder(step.volumeName()).filter(step.claimUid()::equals).isPresent();
    }

    /**
     * Writes a step, then the next one.
     *
     * @param done whether the watch shows that the step was written
     */
    private void write(String path, ObjectNode patch, BooleanSupplier done) {
      attempt(1, false, then -> api.patch(path, MERGE, patch, then), done);
    }

    /** An attempt whose answer was lost may have changed the object that is in conflict now. */
    private void lookWhether(BooleanSupplier done, Answer conflict, int looks) {
      if (!wanted.getAsBoolean()) {
        return;
      }
      if (looks == 0) {
        failed.accept(conflict.message());
      } else if (done.getAsBoolean()) {
        next();
      } else {
        api.later(LOOK_EVERY, () -> lookWhether(done, conflict, looks - 1));
      }
    }

    /** Sends a request until it is answered, or a few times. */
    private void attempt(
        int number, boolean answerLost, Consumer<Consumer<Answer>> request, BooleanSupplier done) {
      if (!wanted.getAsBoolean()) {
        return;
      }
      request.accept(
          answer -> {
            if (answer.ok()) {
              next();
            } else if ((answer.throttled() || answer.ambiguous()) && number < ATTEMPTS) {
              boolean lost = answerLost || answer.ambiguous();
              api.later(
                  BACKOFF.pause(number, answer.retryAfter()),
                  () -> attempt(number + 1, lost, request, done));
            } else if (answerLost && answer.code() == HttpURLConnection.HTTP_CONFLICT) {
              lookWhether(done, answer, LOOKS);
            } else if (!answer.wasNotSent()) {
              failed.accept(answer.message());
            }
          });
    }

    private void look() {
      if (!wanted.getAsBoolean()) {
        return;
      }
      boolean allBound = true;
      for (VolumeStep step : steps) {
        Optional<ClaimState> claim = storage.claim(step.namespace(), step.claimName());
        if (claim.isEmpty()) {
          failed.accept("PersistentVolumeClaim " + step.claimName() + " is gone");
          return;
        }
        if (step instanceof VolumeStep.Provision provision && !claim.get().bound()) {
          boolean hasNode = claim.get().selectedNode().equals(provision.nodeName());
          if (hasNode) {
            nodeSeen.add(step);
          } else if (nodeSeen.contains(step)) {
            failed.accept(
                "no volume could be made for PersistentVolumeClaim %s on %s"
                    .formatted(step.claimName(), provision.nodeName()));
            return;
          }
        }
        allBound &= claim.get().bound();
      }
      if (allBound) {
        ready.run();
      } else if (System.nanoTime() - began > PATIENCE.toNanos()) {
        failed.accept("claims were not bound within " + PATIENCE.toMinutes() + " minutes");
      } else {
        api.later(LOOK_EVERY, this::look);
      }
    }
  }

  private static String claimPath(VolumeStep step) {
    return "/api/v1/namespaces/" + step.namespace() + "/persistentvolumeclaims/" + step.claimName();
  }

  /** Only the version that the decision saw is written to: another may have decided meanwhile. */
  private static ObjectNode selectedNode(VolumeStep.Provision provision) {
    ObjectNode patch = JsonNodeFactory.instance.objectNode();
    patch
        .putObject("metadata")
        .put("resourceVersion", provision.claimVersion())
        .putObject("annotations")
        .put(SELECTED_NODE, provision.nodeName());
    return patch;
  }

  private static String volumePath(VolumeStep.Bind bind) {
    return "/api/v1/persistentvolumes/" + bind.volumeName();
  }

  /** Only the version that the decision saw is given away: another may have taken it meanwhile. */
  private static ObjectNode claimRef(VolumeStep.Bind bind) {
    ObjectNode patch = JsonNodeFactory.instance.objectNode();
    ObjectNode metadata = patch.putObject("metadata").put("resourceVersion", bind.volumeVersion());
    metadata.putObject("annotations").put(BOUND_BY_CONTROLLER, "yes");
    patch
        .putObject("spec")
        .putObject("claimRef")
        .put("apiVersion", "v1")
        .put("kind", "PersistentVolumeClaim")
        .put("namespace", bind.namespace())
        .put("name", bind.claimName())
        .put("uid", bind.claimUid());
    return patch;
  }
}
