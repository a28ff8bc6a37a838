package io.berth.operator.query;

import io.berth.engine.kube.KubeEvents;
import io.berth.engine.whatif.Mirror;
import io.berth.engine.whatif.PolicyAnswer;
import io.berth.engine.whatif.PolicyTrial;
import io.berth.engine.whatif.RenderingQuestion;
import io.berth.operator.feed.FedPod;
import io.berth.webhook.admission.PodMutator;
import io.berth.webhook.binding.CatalogChange;
import io.berth.webhook.binding.ConfigCatalog;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** The effects of changed configs and bindings on the pods that exist. Thread-safe. */
final class Renderings {
  private final Supplier<Stream<FedPod>> pods;
  private final PodOrigins origins;
  private final PodMutator mutator;
  private final KubeEvents events;

  /**
   * @param pods returns the cached pods
   */
  Renderings(
      Supplier<Stream<FedPod>> pods, PodOrigins origins, PodMutator mutator, KubeEvents events) {
    this.pods = pods;
    this.origins = origins;
    this.mutator = mutator;
    this.events = events;
  }

  /**
   * Reads the pods that a change may concern as they were before they were rendered. Blocks until
   * they are read, for some seconds at most.
   *
   * @param namespace the namespace of the pods; empty for all namespaces
   * @throws InterruptedException if interrupted while waiting
   */
  Prepared prepare(CatalogChange change, String namespace) throws InterruptedException {
    Map<String, FedPod> concerned = new HashMap<>();
    pods.get()
        .filter(pod -> namespace.isEmpty() || namespace.equals(pod.ref().namespace()))
        .filter(pod -> isRendered(pod, change.before()))
        .filter(pod -> change.concerns(pod.asWritten()))
        .forEach(pod -> concerned.put(pod.ref().uid(), pod));
    PodOrigins.Origins read = origins.read(concerned.values());
    return new Prepared(
        namespace,
        new ReviewedRendering(mutator, events, change, concerned, read),
        read.isComplete());
  }

  /** Returns whether the webhook is asked about such a pod when it is created. */
  private static boolean isRendered(FedPod pod, ConfigCatalog catalog) {
    String namespace = pod.ref().namespace();
    return !pod.mirror()
        && !namespace.equals("kube-system")
        && !namespace.equals(catalog.operatorNamespace());
  }

  /**
   * A question that can be answered without reading anything.
   *
   * @param isComplete whether the origins of all pods were read
   */
  record Prepared(String namespace, ReviewedRendering rendering, boolean isComplete) {
    PolicyAnswer answer(Mirror mirror, Instant now, BooleanSupplier expired) {
      PolicyAnswer answer =
          PolicyTrial.answer(mirror, new RenderingQuestion(namespace, rendering::of), now, expired);
      return isComplete ? answer : answer.cut();
    }
  }
}
