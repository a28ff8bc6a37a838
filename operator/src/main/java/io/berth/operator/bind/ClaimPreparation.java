package io.berth.operator.bind;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.engine.api.Decision.Placed;
import io.berth.engine.model.PreBindStep;
import io.berth.engine.volume.VolumeStep;
import io.berth.operator.api.Answer;
import io.berth.operator.api.ApiCalls;
import io.berth.operator.api.Backoff;
import io.berth.operator.api.FairCalls;
import java.net.HttpURLConnection;
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
 * Binds a pod's persistent volume claims before the pod: sets the selected node on a claim for the
 * provisioner, or the claim on a volume, and waits until the watch shows every claim as bound. A
 * provisioner that cannot create a volume for the node removes the annotation from the claim; the
 * pod is then scheduled again.
 */
public final class ClaimPreparation implements VolumePreparation {

  /** The annotation on a claim that names the node for which its volume is provisioned. */
  public static final String SELECTED_NODE = "volume.kubernetes.io/selected-node";

  private static final String BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller";
  private static final int ATTEMPTS = 6;
  private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(300), Duration.ofSeconds(5));
  private static final Duration LOOK_EVERY = Duration.ofMillis(250);
  private static final int LOOKS = 8;

  /** The default of kube-scheduler's bindTimeoutSeconds. */
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  private final ApiCalls api;
  private final FairCalls calls;
  private final Storage storage;

  /**
   * The state of a claim as the watch last reported it.
   *
   * @param bound whether the claim is bound to a volume
   * @param selectedNode the value of its selected-node annotation; empty if it has none
   */
  public record ClaimState(boolean bound, String selectedNode) {}

  /** Claims and volumes as the watch reports them. */
  public interface Storage {
    /** Returns the claim's state; empty if the claim does not exist. */
    Optional<ClaimState> claim(String namespace, String name);

    /**
     * Returns the UID of the claim that the volume is bound to or reserved for; empty if there is
     * none.
     */
    Optional<String> holder(String volumeName);
  }

  public ClaimPreparation(ApiCalls api, Storage storage) {
    this.api = api;
    this.calls = new FairCalls(api);
    this.storage = storage;
  }

  @Override
  public void prepare(
      Placed placed, BooleanSupplier wanted, Runnable ready, Consumer<String> failed) {
    List<VolumeStep> steps = new ArrayList<>();
    for (PreBindStep step : placed.preBind()) {
      if (!(step instanceof VolumeStep volumeStep)) {
        failed.accept("unsupported preparation step: " + step);
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
    private final long began = api.nanoTime();

    /**
     * The steps whose selected node the watch has shown on the claim; the watch reports each claim
     * separately.
     */
    private final Set<VolumeStep> nodeSeen = new HashSet<>();

    Preparation(
        List<VolumeStep> steps, BooleanSupplier wanted, Runnable ready, Consumer<String> failed) {
      this.steps = steps;
      this.wanted = wanted;
      this.toWrite = new ArrayDeque<>(steps);
      this.ready = ready;
      this.failed = failed;
    }

    /** Writes the steps one after another, then waits for the claims. */
    void next() {
      if (!wanted.getAsBoolean()) {
        return;
      }
      VolumeStep step = toWrite.poll();
      switch (step) {
        case null -> look();
        case VolumeStep.Provision provision ->
            write(step, claimPath(provision), selectedNode(provision), () -> hasItsNode(provision));
        case VolumeStep.Bind bind ->
            write(step, volumePath(bind), claimRef(bind), () -> isGiven(bind));
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
     * @param done returns whether the watch shows that the step was written
     */
    private void write(VolumeStep step, String path, ObjectNode patch, BooleanSupplier done) {
      attempt(
          1,
          false,
          then ->
              calls.send(
                  step.namespace(),
                  (sent, to) -> sent.patch(path, ApiCalls.MERGE_PATCH, patch, to),
                  then),
          done);
    }

    /** Checks repeatedly whether an attempt whose response was lost is what caused the conflict. */
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

    /** Sends a request, up to {@link #ATTEMPTS} times. */
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
                  BACKOFF.pause(number, answer.retryAfter(), api.random()),
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
                "no volume could be provisioned for PersistentVolumeClaim %s on %s"
                    .formatted(step.claimName(), provision.nodeName()));
            return;
          }
        }
        allBound &= claim.get().bound();
      }
      if (allBound) {
        ready.run();
      } else if (api.nanoTime() - began > PATIENCE.toNanos()) {
        failed.accept("claims were not bound within " + PATIENCE.toMinutes() + " minutes");
      } else {
        api.later(LOOK_EVERY, this::look);
      }
    }
  }

  private static String claimPath(VolumeStep step) {
    return "/api/v1/namespaces/" + step.namespace() + "/persistentvolumeclaims/" + step.claimName();
  }

  /**
   * Returns a patch for the version that the decision was based on, so that a concurrent change
   * causes a conflict.
   */
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

  /**
   * Returns a patch for the version that the decision was based on, so that a claim that took the
   * volume meanwhile causes a conflict.
   */
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
