package io.berth.operator.query;

import io.berth.engine.kube.KubeEvents;
import io.berth.engine.whatif.Mirror;
import io.berth.engine.whatif.PolicyAnswer;
import io.berth.engine.whatif.PolicyTrial;
import io.berth.engine.whatif.RenderingQuestion;
import io.berth.operator.feed.FedPod;
import io.berth.operator.query.ReviewedRendering.StoredPod;
import io.berth.webhook.admission.PodMutator;
import io.berth.webhook.binding.CatalogChange;
import io.berth.webhook.binding.ConfigCatalog;
import io.berth.webhook.binding.Controller;
import io.berth.webhook.binding.PodSubject;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** The effects of changed configs and bindings on the pods that exist. Thread-safe. */
final class Renderings {
  /** The longest time for looking up owners. */
  private static final Duration OWNERS = Duration.ofSeconds(5);

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
    Predicate<PodSubject> mayConcern = change.mayConcern();
    Map<String, StoredPod> concerned = new HashMap<>();
    pods.get()
        .filter(pod -> namespace.isEmpty() || namespace.equals(pod.ref().namespace()))
        .filter(pod -> !pod.mirror() && change.before().rendersIn(pod.ref().namespace()))
        .map(pod -> new StoredPod(pod, pod.asWritten()))
        .filter(stored -> mayConcern.test(stored.asWritten()))
        .forEach(stored -> concerned.put(stored.pod().ref().uid(), stored));
    Optional<String> doubt = learnOwners(concerned.values(), change);
    PodOrigins.Origins read = origins.read(concerned.values().stream().map(StoredPod::pod));
    return new Prepared(
        namespace,
        new ReviewedRendering(mutator, events, change, concerned, read),
        read.failure().or(() -> doubt));
  }

  /**
   * Looks up the root owners and the sizes of workloads on which bindings depend, as admission
   * does.
   *
   * @return why one of them may be wrong; empty if all are known
   */
  private static Optional<String> learnOwners(Iterable<StoredPod> pods, CatalogChange change) {
    long end = System.nanoTime() + OWNERS.toNanos();
    Set<Optional<Controller>> learned = new HashSet<>();
    Optional<String> doubt = Optional.empty();
    for (StoredPod pod : pods) {
      PodSubject subject = pod.asWritten();
      if (!learned.add(subject.controller())) {
        continue;
      }
      if (System.nanoTime() - end >= 0) {
        return Optional.of("there was no time to look up the owners of all pods");
      }
      for (ConfigCatalog catalog : List.of(change.before(), change.after())) {
        doubt =
            doubt.or(() -> catalog.learnRoot(subject)).or(() -> catalog.learnOwnerSize(subject));
      }
    }
    return doubt;
  }

  /**
   * A question that can be answered without reading anything.
   *
   * @param doubt why the answer may be wrong or incomplete; empty if it is neither
   */
  record Prepared(String namespace, ReviewedRendering rendering, Optional<String> doubt) {
    PolicyAnswer answer(Mirror mirror, Instant now, BooleanSupplier expired) {
      return PolicyTrial.answer(
          mirror,
          new RenderingQuestion(namespace, pod -> rendering.of(pod, expired)),
          now,
          expired);
    }
  }
}
