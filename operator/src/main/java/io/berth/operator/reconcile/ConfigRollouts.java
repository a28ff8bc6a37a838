package io.berth.operator.reconcile;

import io.berth.crds.Annotations;
import io.berth.crds.ConfigStatus;
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
import java.time.Clock;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The rollouts of configs of one kind. Results are counted from the pods that exist: the webhook
 * records in each which revision was rendered, or refused it.
 */
final class ConfigRollouts {
  private final TemplateKind kind;
  private final Supplier<ConfigCatalog> catalog;
  private final Supplier<Stream<FedPod>> pods;
  private final Consumer<CustomResource<?, ConfigStatus>> store;
  private final Clock clock;
  private final KeptOnce kept;

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
    this.kept = new KeptOnce(kind.kind(), clock);
  }

  /**
   * Returns the next state of a config's rollout; empty if its changes take effect at once.
   *
   * @param isValid whether the latest spec is valid
   */
  Optional<RolloutOutcome> next(CustomResource<?, ConfigStatus> config, boolean isValid) {
    @Nullable GradualRollout rollout = Rollouts.of(config);
    if (!Rollouts.isGradual(rollout)) {
      return Optional.empty();
    }
    @Nullable RolloutStatus last = Rollouts.last(config);
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
      return RolloutOutcome.held(last);
    }
    keep(complete.get());
    RolloutProgress progress = new RolloutProgress(rollout, last, latest, stable);
    RolloutStatus next = progress.next(results(config, progress), clock.instant());
    return Optional.of(RolloutOutcome.of(progress, next));
  }

  private Results results(CustomResource<?, ?> config, RolloutProgress progress) {
    @Nullable RolloutStatus last = progress.before();
    if (!progress.isUnderWay() || last.began() == null || last.stableRevision() == null) {
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
    kept.keep(name, version, () -> store.accept(complete));
  }

  private static SpecRevision revision(CustomResource<?, ?> config) {
    return new SpecRevision(
        String.valueOf(StatusReconciler.generation(config)), SpecHash.of(config.getSpec()));
  }
}
