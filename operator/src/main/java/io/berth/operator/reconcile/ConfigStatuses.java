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
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Computes the status of a NodeSchedulerConfig or PodSchedulerConfig. */
final class ConfigStatuses {

  private final TemplateKind kind;
  private final StoredObjectReview review;
  private final Supplier<ConfigCatalog> catalog;
  private final CountedPods pods;
  private final Clock clock;

  ConfigStatuses(
      TemplateKind kind,
      StoredObjectReview review,
      Supplier<ConfigCatalog> catalog,
      CountedPods pods,
      Clock clock) {
    this.kind = kind;
    this.review = review;
    this.catalog = catalog;
    this.pods = pods;
    this.clock = clock;
  }

  ConfigStatus of(CustomResource<?, ConfigStatus> config) {
    String name = config.getMetadata().getName();
    long generation = StatusReconciler.generation(config);
    @Nullable ConfigStatus before = config.getStatus();
    List<Condition> conditions = before == null ? List.of() : before.conditions();
    Instant now = clock.instant();
    Finding ready = review.ready(config);
    return new ConfigStatus(
        generation,
        String.valueOf(generation),
        parameters(name),
        catalog.get().references(kind, name).stream()
            .map(r -> r.binding())
            .distinct()
            .toList()
            .size(),
        pods.get().configPods(kind, name),
        Conditions.of(
            Conditions.ready(conditions, ready, generation, now),
            Conditions.served(conditions, ready.isTrue(), "rendered", generation, now)));
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
