package io.berth.operator.admission;

import io.berth.webhook.binding.CatalogPart;

/**
 * A part of the catalog that reviews ask for.
 *
 * @param namespace the namespace of the review, where the part is one of it; else empty
 */
record Topic(CatalogPart part, String namespace) {

  /** The topic of a review of a namespace; empty for objects without. */
  static Topic of(CatalogPart part, String namespace) {
    return switch (part) {
      case BINDINGS, NAMESPACE -> new Topic(part, namespace);
      case NODE_CONFIGS, POD_CONFIGS, POLICIES -> new Topic(part, "");
    };
  }
}
