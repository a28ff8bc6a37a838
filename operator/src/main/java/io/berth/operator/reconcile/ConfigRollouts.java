package io.berth.operator.reconcile;

import io.berth.crds.ConfigStatus;
import io.berth.crds.rollout.GradualRollout;
import io.berth.crds.rollout.RolloutPhase;
import io.berth.crds.rollout.RolloutStatus;
import io.berth.operator.rollout.RolloutProgress;
import io.berth.operator.rollout.RolloutProgress.Results;
import io.berth.webhook.binding.ConfigCatalog;
import io.berth.webhook.binding.ServedConfig;
import io.berth.webhook.rollout.Rollouts;
import io.berth.webhook.rollout.SpecRevision;
import io.berth.webhook.template.TemplateKind;
import io.fabric8.kubernetes.client.CustomResource;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The rollouts of configs of one kind. */
final class ConfigRollouts {
  private final TemplateKind kind;
  private final Supplier<ConfigCatalog> catalog;
  private final RenderedTally tally;
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
      RenderedTally tally,
      Consumer<CustomResource<?, ConfigStatus>> store,
      Clock clock) {
    this.kind = kind;
    this.catalog = catalog;
    this.tally = tally;
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
    String name = config.getMetadata().getName();
    Optional<ServedConfig> served =
        catalog
            .get()
            .config(kind, name)
            .filter(it -> config.getMetadata().getUid().equals(it.source().getMetadata().getUid()));
    if (served.filter(it -> !it.isConfirmed()).isPresent()) {
      return Optional.of(RolloutOutcome.unknown(last));
    }
    if (!isValid || served.isEmpty()) {
      return Optional.of(RolloutOutcome.held(last));
    }
    CustomResource<?, ConfigStatus> complete = served.get().source();
    SpecRevision stable = SpecRevision.of(complete);
    boolean isStored =
        kept.keep(
            name, List.of(complete.getMetadata().getUid(), stable), () -> store.accept(complete));
    RolloutProgress progress =
        new RolloutProgress(rollout, last, SpecRevision.of(config), Optional.of(stable));
    Results results = isCounted(progress) ? tally.of(kind, name, progress) : progress.lastResults();
    RolloutStatus next = progress.next(results, clock.instant());
    return Optional.of(
        progress.begins(next) && !isStored
            ? RolloutOutcome.notStored(progress)
            : RolloutOutcome.of(progress, next));
  }

  /** Returns whether the results of a rollout can still change its state. */
  private static boolean isCounted(RolloutProgress progress) {
    @Nullable RolloutStatus last = progress.before();
    return last != null && progress.isUnderWay() && last.phase() != RolloutPhase.ABORTED;
  }
}
