package io.berth.webhook.admission;

import io.berth.webhook.binding.CatalogEntries;
import io.berth.webhook.binding.ConfigCatalog;
import io.berth.webhook.binding.ServedConfig;
import io.berth.webhook.binding.ServedPolicy;
import io.berth.webhook.error.ObjectNames;
import io.berth.webhook.template.TemplateKind;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Finds configs, policies, and quotas in a catalog, and queries the API server before it reports
 * one as absent.
 *
 * <p>For a name in a pod's own annotations, the API server is queried every time, because a denied
 * pod is retried with its controller's backoff. A binding affects every pod in its namespaces, so a
 * name that it references and that does not exist is queried only once per second.
 */
final class CatalogReader {
  private static final Duration ABSENCE_LASTS = Duration.ofSeconds(1);
  private static final int REMEMBERED = 4096;

  private final ConfigLookup lookup;
  private final InstantSource clock;
  private final Map<String, Instant> absentForBindings = new ConcurrentHashMap<>();

  CatalogReader(ConfigLookup lookup, InstantSource clock) {
    this.lookup = lookup;
    this.clock = clock;
  }

  Optional<ServedConfig> config(
      ConfigCatalog catalog, TemplateKind kind, String name, boolean forBinding) {
    return catalog
        .config(kind, name)
        .or(
            () ->
                ask(
                    kind + "/",
                    name,
                    forBinding,
                    () ->
                        kind == TemplateKind.NODE
                            ? lookup.nodeConfig(name).map(CatalogEntries::of)
                            : lookup.podConfig(name).map(CatalogEntries::of)));
  }

  Optional<ServedPolicy> policy(ConfigCatalog catalog, String name, boolean forBinding) {
    return catalog
        .policy(name)
        .or(() -> ask("policy/", name, forBinding, () -> lookup.policy(name).map(catalog::served)));
  }

  boolean hasQuotaFor(ConfigCatalog catalog, String namespace, String priorityClass) {
    return catalog.hasQuotaFor(namespace, priorityClass)
        || lookup.hasQuotaFor(namespace, priorityClass);
  }

  private <T> Optional<T> ask(
      String kind, String name, boolean forBinding, Supplier<Optional<T>> question) {
    if (!ObjectNames.isValid(name)) {
      return Optional.empty();
    }
    String what = kind + name;
    Instant now = clock.instant();
    if (forBinding) {
      Instant until = absentForBindings.get(what);
      if (until != null && now.isBefore(until)) {
        return Optional.empty();
      }
    }
    Optional<T> answer = question.get();
    if (forBinding && answer.isEmpty()) {
      if (absentForBindings.size() >= REMEMBERED) {
        absentForBindings.clear();
      }
      absentForBindings.put(what, now.plus(ABSENCE_LASTS));
    }
    return answer;
  }
}
