package io.berth.webhook.admission;

import io.berth.webhook.binding.CatalogPart;
import io.berth.webhook.binding.ConfigCatalog;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Provides the catalog for each review. Called concurrently; a review waits for the result, so
 * implementations must have a timeout.
 */
@FunctionalInterface
public interface CatalogSource {

  /**
   * Returns a catalog that contains everything that existed at the time of the call, in the parts
   * that can affect the object.
   *
   * @param namespace the namespace of the review; empty for cluster-scoped objects
   * @param deciding returns the parts that can affect the object, given a catalog that may be out
   *     of date
   */
  UpToDateCatalog asOfNow(String namespace, Function<ConfigCatalog, Set<CatalogPart>> deciding);

  /** Returns a source that does not check whether its catalogs are up to date. */
  static CatalogSource of(Supplier<ConfigCatalog> catalogs) {
    return (namespace, deciding) -> new UpToDateCatalog(catalogs.get(), Optional.empty());
  }

  /**
   * A catalog, with the reason why it may be out of date.
   *
   * @param doubt the reason why existing objects may be missing; empty if the catalog is up to date
   */
  record UpToDateCatalog(ConfigCatalog catalog, Optional<String> doubt) {}
}
