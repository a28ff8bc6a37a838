package io.berth.webhook.admission;

import io.berth.webhook.binding.CatalogEntries;
import io.berth.webhook.binding.ConfigCatalog;
import io.berth.webhook.binding.LookupAllowance;
import io.berth.webhook.binding.ServedConfig;
import io.berth.webhook.binding.ServedPolicy;
import io.berth.webhook.error.ObjectNames;
import io.berth.webhook.template.TemplateKind;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Finds what a namespace may use: configs, policies, and quotas. A config or policy whose {@code
 * allowedNamespaces} exclude the namespace is treated exactly like one that does not exist, so that
 * no answer tells which names exist.
 *
 * <p>A name that is not in the catalog is looked up at the API server only if the catalog may be
 * out of date. Absent names are remembered for a short time, and each review has an allowance of
 * look-ups ({@link LookupAllowance}).
 */
final class CatalogReader {
  private final ConfigLookup lookup;
  private final AbsentNames absent;
  private final boolean complete;

  CatalogReader(ConfigLookup lookup, InstantSource clock) {
    this(lookup, new AbsentNames(clock), false);
  }

  private CatalogReader(ConfigLookup lookup, AbsentNames absent, boolean complete) {
    this.lookup = lookup;
    this.absent = absent;
    this.complete = complete;
  }

  /**
   * Returns a reader for one review.
   *
   * @param complete whether the catalog contains everything that existed when the review arrived
   */
  CatalogReader forReview(boolean complete) {
    return new CatalogReader(lookup, absent, complete);
  }

  /**
   * Returns a config that a namespace may use.
   *
   * @throws LookupFailedException if the catalog does not contain it and the API server cannot be
   *     queried for it
   */
  Optional<ServedConfig> config(
      ConfigCatalog catalog, TemplateKind kind, String name, String namespace) {
    return catalog
        .config(kind, name)
        .filter(config -> catalog.allows(config.allowedNamespaces(), namespace))
        .or(
            () ->
                ask(
                    kind.kind(),
                    name,
                    namespace,
                    () ->
                        (kind == TemplateKind.NODE
                                ? lookup.nodeConfig(name).map(CatalogEntries::of)
                                : lookup.podConfig(name).map(CatalogEntries::of))
                            .filter(
                                config -> catalog.allows(config.allowedNamespaces(), namespace))));
  }

  /**
   * Returns a policy that a namespace may use.
   *
   * @throws LookupFailedException if the catalog does not contain it and the API server cannot be
   *     queried for it
   */
  Optional<ServedPolicy> policy(ConfigCatalog catalog, String name, String namespace) {
    return catalog
        .policy(name)
        .filter(policy -> catalog.allows(policy.allowedNamespaces(), namespace))
        .or(
            () ->
                ask(
                    "SchedulingPolicy",
                    name,
                    namespace,
                    () ->
                        lookup
                            .policy(name)
                            .map(catalog::served)
                            .filter(
                                policy -> catalog.allows(policy.allowedNamespaces(), namespace))));
  }

  /**
   * Returns whether a namespace has a ResourceQuota for a PriorityClass. Quotas are looked up even
   * if the catalog is up to date, which it is for configuration only.
   *
   * @throws LookupFailedException if the catalog contains none and the API server cannot be queried
   *     for one
   */
  boolean hasQuotaFor(ConfigCatalog catalog, String namespace, String priorityClass) {
    return catalog.hasQuotaFor(namespace, priorityClass)
        || absent
            .unless(
                "ResourceQuota for " + priorityClass + " in " + namespace,
                () ->
                    lookUp(
                        () ->
                            lookup.hasQuotaFor(namespace, priorityClass)
                                ? Optional.of(priorityClass)
                                : Optional.empty()))
            .isPresent();
  }

  private <T> Optional<T> ask(
      String kind, String name, String namespace, Supplier<Optional<T>> question) {
    return complete || !ObjectNames.isValid(name)
        ? Optional.empty()
        : absent.unless(kind + " " + name + " for " + namespace, () -> lookUp(question));
  }

  private <T> Optional<T> lookUp(Supplier<Optional<T>> question) {
    if (!LookupAllowance.ofThisThread().take()) {
      throw new LookupFailedException(LookupAllowance.USED_UP);
    }
    return question.get();
  }
}
