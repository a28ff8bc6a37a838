package io.berth.operator.reconcile;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.Annotations;
import io.berth.crds.SchedulerNames;
import io.berth.crds.binding.BindingField;
import io.berth.operator.feed.ClusterFeed;
import io.berth.operator.feed.FedPod;
import io.berth.operator.record.EventRecorder;
import io.berth.operator.record.ObjectEvent;
import io.berth.operator.record.ObjectEvent.Subject;
import io.berth.webhook.admission.ConfigLookup;
import io.berth.webhook.admission.PodMutator;
import io.berth.webhook.admission.PodVerdict;
import io.berth.webhook.binding.AppliedFields;
import io.berth.webhook.binding.BindingKey;
import io.berth.webhook.binding.Choice;
import io.berth.webhook.binding.ConfigCatalog;
import io.berth.webhook.binding.PodSubject;
import io.berth.webhook.binding.Source;
import io.fabric8.kubernetes.api.model.OwnerReference;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Finds pods that were admitted without the configuration that a binding, or their own annotations,
 * require, because the webhook was unavailable. It counts them, and reports each once on the pod
 * and on its owner. {@link Recreation} evicts those whose binding requests recreation.
 */
final class UnrenderedPods {

  private static final String REASON = "Unrendered";
  private static final int REMEMBERED = 20_000;
  private static final int NAMED = 3;

  private final ClusterFeed feed;
  private final Supplier<ConfigCatalog> catalog;
  private final EventRecorder events;
  private final Recreation recreation;
  private final PodMutator mutator = new PodMutator(ConfigLookup.nothing(), InstantSource.system());

  private final Set<String> reported = new HashSet<>();
  private volatile Map<BindingKey, Integer> counts = Map.of();
  private volatile int total;

  UnrenderedPods(
      ClusterFeed feed,
      Supplier<ConfigCatalog> catalog,
      EventRecorder events,
      Recreation recreation) {
    this.feed = feed;
    this.catalog = catalog;
    this.events = events;
    this.recreation = recreation;
  }

  /** Returns the number of pods that lack the binding. */
  int count(BindingKey binding) {
    return counts.getOrDefault(binding, 0);
  }

  /** Returns why pods that lack the binding are not recreated, although it requests that. */
  Optional<String> obstacle(BindingKey binding) {
    return recreation.obstacle(binding);
  }

  /** Returns the number of pods that lack any configuration. */
  int total() {
    return total;
  }

  /** Checks all pods; called by one thread, a few times a minute. */
  void look() {
    ConfigCatalog current = catalog.get();
    InPlaceSince since = InPlaceSince.of(feed);
    List<MissedRendering> missed = new ArrayList<>();
    if (!since.isEmpty()) {
      feed.pods()
          .filter(pod -> isCandidate(pod, current))
          .forEach(pod -> missed.addAll(missed(pod, current, since)));
    }
    counts =
        missed.stream()
            .flatMap(rendering -> rendering.binding().stream())
            .collect(Collectors.groupingBy(key -> key, Collectors.summingInt(key -> 1)));
    total = (int) missed.stream().map(rendering -> rendering.pod().ref().uid()).distinct().count();
    report(missed);
    recreation.round(missed, current);
  }

  private static boolean isCandidate(FedPod pod, ConfigCatalog catalog) {
    String namespace = pod.ref().namespace();
    return !pod.finished() && !pod.terminating() && !pod.mirror() && catalog.rendersIn(namespace);
  }

  private List<MissedRendering> missed(FedPod pod, ConfigCatalog catalog, InPlaceSince since) {
    PodSubject subject = pod.asWritten();
    Map<Optional<BindingKey>, MissedRendering> missed = missed(pod, subject, catalog, since);
    if (!missed.isEmpty()
        && catalog.learnRoot(subject).isEmpty()
        && catalog.learnOwnerSize(subject).isEmpty()) {
      missed = missed(pod, subject, catalog, since); // its owner may have been a guess before
    }
    return missed.isEmpty() || !isRenderable(pod, missed.keySet(), catalog)
        ? List.of()
        : List.copyOf(missed.values());
  }

  private static Map<Optional<BindingKey>, MissedRendering> missed(
      FedPod pod, PodSubject subject, ConfigCatalog catalog, InPlaceSince since) {
    AppliedFields rendered = AppliedFields.of(pod.annotations());
    Map<Optional<BindingKey>, MissedRendering> missed = new LinkedHashMap<>();
    for (Choice choice : catalog.resolveApplicable(subject).choices()) {
      Optional<Instant> inPlace = since.of(choice, pod);
      if (!rendered.has(choice.field())
          && !hasPolicyAlready(choice, subject)
          && !hasGroupAlready(choice, subject, catalog)
          && !hasQueueAlready(choice, subject)
          && inPlace.isPresent()
          && cameLater(pod, rendered, inPlace.get())) {
        Optional<BindingKey> binding =
            choice.source() instanceof Source.OfBinding(BindingKey key, long generation)
                ? Optional.of(key)
                : Optional.empty();
        missed.putIfAbsent(binding, new MissedRendering(pod, binding));
      }
    }
    return missed;
  }

  /**
   * Returns whether the pod was created after that time. Both times have a resolution of one
   * second. If they are equal, the order is unknown, and the pod counts as later only if the
   * webhook recorded that its catalog may have been incomplete.
   */
  private static boolean cameLater(FedPod pod, AppliedFields rendered, Instant inPlace) {
    Instant second = inPlace.truncatedTo(ChronoUnit.SECONDS);
    return pod.createdAt().isAfter(second)
        || (rendered.isInDoubt() && pod.createdAt().equals(second));
  }

  /**
   * Returns whether the pod names its policy and its scheduler itself, so that no rendering is
   * missing.
   */
  private static boolean hasPolicyAlready(Choice choice, PodSubject pod) {
    return choice.field() == BindingField.SCHEDULING_POLICY
        && !pod.schedulerName().isEmpty()
        && !pod.schedulerName().equals(SchedulerNames.KUBERNETES_DEFAULT)
        && choice.policy().equals(pod.annotation(Annotations.POLICY));
  }

  /** Returns whether the pod names its queue itself. */
  private static boolean hasQueueAlready(Choice choice, PodSubject pod) {
    return choice.field() == BindingField.QUEUE
        && choice.queue().equals(pod.label(Annotations.QUEUE_LABEL));
  }

  /** Returns whether the pod already has a group, or its owner is not one that forms a group. */
  private static boolean hasGroupAlready(Choice choice, PodSubject pod, ConfigCatalog catalog) {
    return choice.field() == BindingField.GROUP
        && (pod.annotation(Annotations.GROUP).isPresent() || catalog.ownerSize(pod).isEmpty());
  }

  /**
   * Returns whether the webhook would change the pod: it also skips a binding that cannot be
   * rendered for the pod. A pod that the webhook would deny counts, because it should not exist.
   */
  private boolean isRenderable(
      FedPod pod, Set<Optional<BindingKey>> lacking, ConfigCatalog catalog) {
    return switch (mutator.mutate(pod.subject(), sketch(pod), catalog)) {
      case PodVerdict.Denied denied -> lacking.contains(Optional.<BindingKey>empty());
      case PodVerdict.Admitted admitted -> !admitted.patch().isEmpty();
    };
  }

  /** Returns the parts of a pod that rendering may change, in the form that the webhook reads. */
  private static ObjectNode sketch(FedPod pod) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    ObjectNode metadata = json.putObject("metadata");
    metadata.put("namespace", pod.ref().namespace()).put("name", pod.ref().name());
    metadata.put("generateName", pod.generateName());
    ObjectNode labels = metadata.putObject("labels");
    pod.labels().forEach(labels::put);
    ObjectNode annotations = metadata.putObject("annotations");
    pod.annotations().forEach(annotations::put);
    json.putObject("spec").put("schedulerName", pod.schedulerName());
    return json;
  }

  private void report(List<MissedRendering> missed) {
    if (reported.size() > REMEMBERED) {
      reported.clear();
    }
    Map<String, List<MissedRendering>> byOwner = new HashMap<>();
    for (MissedRendering rendering : missed) {
      FedPod pod = rendering.pod();
      if (!reported.add(pod.ref().uid() + " " + rendering.asker())) {
        continue;
      }
      events.report(
          ObjectEvent.warning(
              Subject.pod(pod.ref()),
              REASON,
              "Repairing",
              "this pod was admitted without %s: %s"
                  .formatted(rendering.asker(), rendering.cause())));
      pod.controller()
          .ifPresent(
              owner ->
                  byOwner
                      .computeIfAbsent(
                          owner.getUid() + " " + rendering.asker(), each -> new ArrayList<>())
                      .add(rendering));
    }
    byOwner.values().forEach(this::reportOnOwner);
  }

  private void reportOnOwner(List<MissedRendering> missed) {
    MissedRendering first = missed.getFirst();
    String pods =
        missed.stream()
            .limit(NAMED)
            .map(rendering -> rendering.pod().ref().name())
            .collect(Collectors.joining(", "));
    String more = missed.size() > NAMED ? " and %d more".formatted(missed.size() - NAMED) : "";
    events.report(
        ObjectEvent.warning(
            subject(first.pod().controller().orElseThrow(), first.pod()),
            REASON,
            "Repairing",
            "%d of its pods were admitted without %s: %s (%s%s)"
                .formatted(missed.size(), first.asker(), first.cause(), pods, more)));
  }

  private static Subject subject(OwnerReference owner, FedPod pod) {
    return new Subject(
        owner.getApiVersion(),
        owner.getKind(),
        pod.ref().namespace(),
        owner.getName(),
        owner.getUid());
  }
}
