package io.berth.webhook.admission;

import io.berth.webhook.binding.CatalogPart;
import io.berth.webhook.binding.ConfigCatalog;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The catalog that a review is judged by. Called on many threads at once; a review waits for the
 * answer, so implementations bound it.
 */
@FunctionalInterface
public interface CatalogSource {

  /**
   * The catalog with everything that existed when this was called, in the parts that decide.
   *
   * @param namespace the namespace of the review, empty for objects without
   * @param deciding the parts that decide about the object, by a catalog that may be out of date
   */
  UpToDateCatalog asOfNow(String namespace, Function<ConfigCatalog, Set<CatalogPart>> deciding);

  /** A source that takes the catalogs of another as they are. */
  static CatalogSource of(Supplier<ConfigCatalog> catalogs) {
    return (namespace, deciding) -> new UpToDateCatalog(catalogs.get(), Optional.empty());
  }

  /**
   * A catalog, and how sure it is.
   *
   * @param doubt why something may be missing that existed already; empty where nothing is
   */
  record UpToDateCatalog(ConfigCatalog catalog, Optional<String> doubt) {}
}
