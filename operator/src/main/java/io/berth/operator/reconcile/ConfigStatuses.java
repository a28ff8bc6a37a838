package io.berth.operator.reconcile;

import io.berth.crds.ConfigStatus;
import io.berth.operator.reconcile.Conditions.Finding;
import io.berth.webhook.binding.ConfigCatalog;
import io.berth.webhook.binding.ServedConfig;
import io.berth.webhook.template.CompiledTemplate;
import io.berth.webhook.template.TemplateKind;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.client.CustomResource;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Computes the status of a NodeSchedulerConfig or PodSchedulerConfig. */
final class ConfigStatuses {

  private final TemplateKind kind;
  private final StoredObjectReview review;
  private final Supplier<ConfigCatalog> catalog;
  private final CountedPods pods;
  private final ConfigRollouts rollouts;
  private final Clock clock;

  ConfigStatuses(
      TemplateKind kind,
      StoredObjectReview review,
      Supplier<ConfigCatalog> catalog,
      CountedPods pods,
      ConfigRollouts rollouts,
      Clock clock) {
    this.kind = kind;
    this.review = review;
    this.catalog = catalog;
    this.pods = pods;
    this.rollouts = rollouts;
    this.clock = clock;
  }

  ConfigStatus of(CustomResource<?, ConfigStatus> config) {
    String name = config.getMetadata().getName();
    long generation = StatusReconciler.generation(config);
    @Nullable ConfigStatus before = config.getStatus();
    List<Condition> conditions = before == null ? List.of() : before.conditions();
    Finding valid = review.ready(config);
    Optional<RolloutOutcome> rollout = rollouts.next(config, valid.isTrue());
    Finding ready =
        rollout.filter(it -> valid.isTrue()).flatMap(RolloutOutcome::notReady).orElse(valid);
    return new ConfigStatus(
        generation,
        rollout
            .flatMap(it -> catalog.get().config(kind, name))
            .map(ServedConfig::revision)
            .orElse(String.valueOf(generation)),
        parameters(name),
        catalog.get().references(kind, name).stream()
            .map(r -> r.binding())
            .distinct()
            .toList()
            .size(),
        pods.get().configPods(kind, name),
        rollout.map(RolloutOutcome::status).orElse(null),
        conditions(conditions, ready, rollout, generation));
  }

  private List<Condition> conditions(
      List<Condition> before, Finding ready, Optional<RolloutOutcome> rollout, long generation) {
    Instant now = clock.instant();
    List<Condition> conditions =
        Conditions.of(
            Conditions.ready(before, ready, generation, now),
            Conditions.served(before, ready.isTrue(), "rendered", generation, now));
    rollout
        .flatMap(RolloutOutcome::rolledOut)
        .map(finding -> Conditions.of(Conditions.ROLLED_OUT, before, finding, generation, now))
        .ifPresent(conditions::add);
    return conditions;
  }

  private List<String> parameters(String name) {
    return catalog
        .get()
        .config(kind, name)
        .map(ServedConfig::compilation)
        .map(
            compilation ->
                compilation instanceof CompiledTemplate template
                    ? template.parameters().list().stream()
                        .map(
                            p ->
                                p.required() && p.defaultValue().isEmpty()
                                    ? p.name() + "*"
                                    : p.name())
                        .toList()
                    : List.<String>of())
        .orElse(List.of());
  }
}
