package io.berth.operator.reconcile;

import io.berth.crds.Annotations;
import io.berth.crds.ConfigStatus;
import io.berth.crds.NodeSchedulerConfigSpec;
import io.berth.crds.PodSchedulerConfigSpec;
import io.berth.crds.binding.BindingField;
import io.berth.crds.rollout.GradualRollout;
import io.berth.crds.rollout.RolloutCounts;
import io.berth.crds.rollout.RolloutStatus;
import io.berth.operator.feed.FedPod;
import io.berth.operator.rollout.RolloutProgress;
import io.berth.operator.rollout.RolloutProgress.Results;
import io.berth.operator.rollout.RolloutProgress.SpecRevision;
import io.berth.webhook.binding.AppliedFields;
import io.berth.webhook.binding.ConfigCatalog;
import io.berth.webhook.binding.ServedConfig;
import io.berth.webhook.rollout.Rollouts;
import io.berth.webhook.rollout.SpecHash;
import io.berth.webhook.template.TemplateKind;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rollouts of configs of one kind. Results are counted from the pods that exist: the webhook
 * records in each which revision was rendered, or refused it.
 */
final class ConfigRollouts {
  private static final Logger LOG = LoggerFactory.getLogger(ConfigRollouts.class);
  private static final Duration AGAIN = Duration.ofSeconds(30);

  private final TemplateKind kind;
  private final Supplier<ConfigCatalog> catalog;
  private final Supplier<Stream<FedPod>> pods;
  private final Consumer<CustomResource<?, ConfigStatus>> store;
  private final Clock clock;
  private final Map<String, String> stored = new ConcurrentHashMap<>();
  private final Map<String, Instant> tryAgain = new ConcurrentHashMap<>();

  /**
   * @param store stores the complete revision of a config; throws a KubernetesClientException if it
   *     cannot
   */
  ConfigRollouts(
      TemplateKind kind,
      Supplier<ConfigCatalog> catalog,
      Supplier<Stream<FedPod>> pods,
      Consumer<CustomResource<?, ConfigStatus>> store,
      Clock clock) {
    this.kind = kind;
    this.catalog = catalog;
    this.pods = pods;
    this.store = store;
    this.clock = clock;
  }

  /**
   * A rollout and its next state.
   *
   * @param progress empty if it cannot go on, because the latest spec is invalid
   */
  record Outcome(RolloutStatus status, Optional<RolloutProgress> progress) {}

  /**
   * Returns the next state of a config's rollout; empty if its changes take effect at once.
   *
   * @param isValid whether the latest spec is valid
   */
  Optional<Outcome> next(CustomResource<?, ConfigStatus> config, boolean isValid) {
    @Nullable GradualRollout rollout = rolloutOf(config);
    if (!Rollouts.isGradual(rollout)) {
      return Optional.empty();
    }
    @Nullable RolloutStatus last = config.getStatus() == null ? null : config.getStatus().rollout();
    Optional<CustomResource<?, ConfigStatus>> complete =
        catalog
            .get()
            .config(kind, config.getMetadata().getName())
            .<CustomResource<?, ConfigStatus>>map(ServedConfig::source)
            .filter(it -> config.getMetadata().getUid().equals(it.getMetadata().getUid()));
    SpecRevision latest = revision(config);
    Optional<SpecRevision> stable = complete.map(ConfigRollouts::revision);
    if (!isValid
        || stable.isEmpty()
        || Rollouts.isUnknown(rollout, last, latest.hash(), stable.map(SpecRevision::hash))) {
      return Optional.ofNullable(last).map(status -> new Outcome(status, Optional.empty()));
    }
    keep(complete.get());
    RolloutProgress progress = new RolloutProgress(rollout, last, latest, stable);
    RolloutStatus next = progress.next(results(config, last, latest), clock.instant());
    return Optional.of(new Outcome(next, Optional.of(progress.after(next))));
  }

  private Results results(
      CustomResource<?, ?> config, @Nullable RolloutStatus last, SpecRevision latest) {
    if (!Rollouts.isOpen(last)
        || !last.specHash().equals(latest.hash())
        || last.began() == null
        || last.stableRevision() == null) {
      return Results.NONE;
    }
    String name = config.getMetadata().getName();
    Instant began = Instant.parse(last.began());
    BindingField field =
        kind == TemplateKind.NODE ? BindingField.NODE_CONFIGS : BindingField.POD_CONFIGS;
    Counter canary = new Counter();
    Counter stable = new Counter();
    pods.get()
        .filter(pod -> !pod.createdAt().isBefore(began))
        .filter(pod -> pod.annotations().getOrDefault(Annotations.APPLIED, "").contains(name + "@"))
        .forEach(
            pod -> {
              AppliedFields applied = AppliedFields.of(pod.annotations());
              Optional<String> revision = applied.revision(field, name);
              if (applied.refusedRevision(field, name).isPresent()) {
                canary.denied();
              } else if (revision.isPresent()) {
                (revision.get().equals(last.stableRevision()) ? stable : canary).add(pod);
              }
            });
    return new Results(canary.counts(), stable.counts());
  }

  /** Counts the pods of one revision. */
  private static final class Counter {
    private long pods;
    private long unschedulable;
    private long denied;

    void add(FedPod pod) {
      pods++;
      if (pod.nodeName().isEmpty() && pod.notScheduled().reason().equals("Unschedulable")) {
        unschedulable++;
      }
    }

    void denied() {
      pods++;
      denied++;
    }

    RolloutCounts counts() {
      return new RolloutCounts(pods, unschedulable, denied);
    }
  }

  /** Stores the complete revision, if it is not stored yet. */
  private void keep(CustomResource<?, ConfigStatus> complete) {
    String name = complete.getMetadata().getName();
    String version = complete.getMetadata().getUid() + "@" + complete.getMetadata().getGeneration();
    Instant now = clock.instant();
    if (version.equals(stored.get(name))
        || now.isBefore(tryAgain.getOrDefault(name, Instant.MIN))) {
      return;
    }
    try {
      store.accept(complete);
      stored.put(name, version);
      tryAgain.remove(name);
    } catch (KubernetesClientException e) {
      if (tryAgain.put(name, now.plus(AGAIN)) == null) {
        LOG.warn(
            "{} {} is in use, but was not saved for a restart: {}; retrying every {} s",
            kind.kind(),
            name,
            e.getMessage(),
            AGAIN.toSeconds());
      }
    }
  }

  private static SpecRevision revision(CustomResource<?, ?> config) {
    return new SpecRevision(
        String.valueOf(StatusReconciler.generation(config)), SpecHash.of(config.getSpec()));
  }

  private static @Nullable GradualRollout rolloutOf(CustomResource<?, ?> config) {
    return switch (config.getSpec()) {
      case NodeSchedulerConfigSpec spec -> spec.rollout();
      case PodSchedulerConfigSpec spec -> spec.rollout();
      case null -> null;
      default -> throw new IllegalArgumentException("no rollouts of " + config.getKind());
    };
  }
}
