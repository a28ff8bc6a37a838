package io.berth.operator.gpu;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.engine.api.Decision.Placed;
import io.berth.engine.model.CardAssignment;
import io.berth.engine.model.CardInventory;
import io.berth.engine.model.PodRef;
import io.berth.operator.api.Answer;
import io.berth.operator.api.ApiCalls;
import io.berth.operator.api.LimitedLog;
import io.berth.operator.api.LogKeys;
import io.berth.operator.api.ServerVersion;
import io.berth.operator.gpu.CardProtocol.Placement;
import io.berth.operator.gpu.CardProtocol.Writing;
import io.berth.operator.record.EventRecorder;
import io.berth.operator.record.ObjectEvent;
import io.berth.operator.record.ObjectEvent.Subject;
import io.fabric8.kubernetes.api.model.Node;
import java.time.Clock;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes the GPU cards that the engine has assigned to the agent of the node, in the agent's own
 * format: annotations and labels of the Binding.
 */
public final class CardHandover {
  private static final Logger LOG = LoggerFactory.getLogger(CardHandover.class);

  /** The first minor version of Kubernetes 1 that copies a Binding's labels to the pod. */
  private static final int COPIES_LABELS = 35;

  private final ApiCalls api;
  private final NodeLocks locks;
  private final Cluster cluster;
  private final EventRecorder events;
  private final boolean patchesLabels;
  private final Clock clock;
  private final LimitedLog log;
  private boolean saidNotPatched;

  /** True if the API server copies labels; null until it has answered. */
  private @Nullable CompletableFuture<Boolean> serverCopiesLabels;

  /** The nodes and pods in the informers' caches. */
  public interface Cluster {
    Optional<Node> node(String name);

    /**
     * Returns the part of a pod that protocols read; empty if the pod is gone or requests no cards.
     */
    Optional<GpuPod> pod(PodRef pod);
  }

  /**
   * @param patchesLabels whether labels that the API server did not copy may be written afterwards
   */
  public CardHandover(
      ApiCalls api,
      NodeLocks locks,
      Cluster cluster,
      EventRecorder events,
      boolean patchesLabels,
      Clock clock) {
    this.patchesLabels = patchesLabels;
    this.api = api;
    this.locks = locks;
    this.cluster = cluster;
    this.events = events;
    this.clock = clock;
    this.log = new LimitedLog(api::nanoTime);
  }

  /**
   * Returns the placement with the assignment in the format of the node's agent; unchanged if it
   * assigns no cards.
   *
   * @return the placement; empty if the node no longer has the assigned cards
   */
  public Optional<Placed> written(Placed placed) {
    Optional<CardAssignment> chosen = placed.assignment(CardAssignment.class);
    if (chosen.isEmpty()) {
      return Optional.of(placed);
    }
    CardInventory cards =
        cluster
            .node(placed.nodeName())
            .map(new CardProtocols()::inventory)
            .orElse(CardInventory.none());
    Optional<CardProtocol> protocol = CardProtocols.of(cards);
    Optional<GpuPod> pod = cluster.pod(placed.pod());
    CardAssignment assigned = new CardAssignment(cards.agent(), chosen.get().cards());
    if (protocol.isEmpty() || !isOf(assigned, cards)) {
      return Optional.empty();
    }
    if (pod.isEmpty()) {
      return Optional.of(placed); // deleted: the Binding will fail with a 404
    }
    reportEarlier(placed.pod(), pod.get());
    Placement placement =
        new Placement(placed.pod(), pod.get(), assigned, placed.nodeName(), cards, clock.instant());
    return Optional.of(with(placed, protocol.get().write(placement)));
  }

  private static boolean isOf(CardAssignment assigned, CardInventory cards) {
    Set<String> names = new HashSet<>();
    for (int i = 0; i < cards.cards().size(); i++) {
      names.add(cards.id(i));
    }
    return assigned.cards().values().stream().allMatch(names::containsAll);
  }

  private static Placed with(Placed placed, Writing writing) {
    Placed written = placed.with(writing.annotations(), writing.labels());
    return writing.locksNode()
        ? written.after(new NodeLockStep(placed.pod(), placed.nodeName()))
        : written;
  }

  private void reportEarlier(PodRef ref, GpuPod pod) {
    if (!pod.earlier().isEmpty()) {
      events.report(
          ObjectEvent.warning(
              Subject.pod(ref),
              "EarlierGpuAssignment",
              "Scheduling",
              "The pod was created with annotations of an earlier GPU assignment, which are"
                  + " ignored: "
                  + String.join(", ", new TreeSet<>(pod.earlier()))
                  + ". Remove them from its template"));
    }
  }

  /**
   * Writes the labels that the API server did not copy from the Binding, now that the pod is bound.
   */
  public void bound(Placed placed) {
    if (!placed.labels().isEmpty()) {
      var _ =
          serverCopiesLabels()
              .thenAccept(
                  copies -> {
                    if (!copies) {
                      patchLabels(placed);
                    }
                  });
    }
  }

  /**
   * Asks the API server for its version, once for all pods. An API server that is upgraded during a
   * leader's term is sent patches that change nothing.
   */
  private synchronized CompletableFuture<Boolean> serverCopiesLabels() {
    CompletableFuture<Boolean> known = serverCopiesLabels;
    if (known != null) {
      return known;
    }
    CompletableFuture<Boolean> asked = new CompletableFuture<>();
    serverCopiesLabels = asked;
    api.get(ServerVersion.PATH, answer -> answered(answer, asked));
    return asked;
  }

  private void answered(Answer version, CompletableFuture<Boolean> asked) {
    if (!version.ok()) {
      synchronized (this) {
        serverCopiesLabels = null;
      }
    }
    // If the version is unknown, a needless patch does no harm, but a warning may be wrong.
    asked.complete(version.ok() ? copiesLabels(version.json()) : !patchesLabels);
  }

  private void patchLabels(Placed placed) {
    if (!patchesLabels) {
      sayNotPatched(placed);
      return;
    }
    ObjectNode patch = JsonNodeFactory.instance.objectNode();
    ObjectNode metadata = patch.putObject("metadata").put("uid", placed.pod().uid());
    ObjectNode labels = metadata.putObject("labels");
    placed.labels().forEach(labels::put);
    api.patch(
        "/api/v1/namespaces/" + placed.pod().namespace() + "/pods/" + placed.pod().name(),
        ApiCalls.MERGE_PATCH,
        patch,
        answer -> {
          if (!answer.ok() && !answer.wasNotSent()) {
            log.refused(
                    answer.code(),
                    "Pod %s is bound, but its labels %s could not be written: %s"
                        .formatted(placed.pod(), placed.labels().keySet(), answer.message()))
                .ifPresent(LogKeys.pod(placed.pod()).andNode(placed.nodeName()).warn(LOG));
          }
        });
  }

  private synchronized void sayNotPatched(Placed placed) {
    if (!saidNotPatched) {
      saidNotPatched = true;
      LogKeys.pod(placed.pod())
          .andNode(placed.nodeName())
          .warn(LOG)
          .accept(
              ("Pod %s is bound without the labels %s: this API server does not copy them from the"
                      + " Binding, and the feature legacy-binding is off (legacyBinding.enabled in"
                      + " the chart). This is logged once")
                  .formatted(placed.pod(), placed.labels().keySet()));
    }
  }

  private static boolean copiesLabels(JsonNode version) {
    return ServerVersion.minorOf(version).orElse(0) >= COPIES_LABELS;
  }

  /** Releases the node's lock, because the pod was not bound. */
  public void failed(Placed placed) {
    locks.release(placed);
  }
}
