package io.berth.operator.admission;

import io.berth.webhook.binding.CatalogPart;

/**
 * A part of the catalog that reviews request.
 *
 * @param namespace the namespace of the review if the part is namespaced; otherwise empty
 */
record Topic(CatalogPart part, String namespace) {

  /**
   * Returns the topic of a review in a namespace; the namespace is empty for cluster-scoped
   * objects.
   */
  static Topic of(CatalogPart part, String namespace) {
    return switch (part) {
      case BINDINGS, NAMESPACE -> new Topic(part, namespace);
      case NODE_CONFIGS, POD_CONFIGS, POLICIES, QUEUES -> new Topic(part, "");
    };
  }
}
