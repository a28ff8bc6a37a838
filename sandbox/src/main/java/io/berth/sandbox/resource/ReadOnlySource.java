package io.berth.sandbox.resource;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A source of objects that are computed on request instead of stored, as for metrics.k8s.io. A
 * resource with a source is registered with {@link ResourceRegistry#addComputed} and supports only
 * get and list.
 */
public interface ReadOnlySource {

  /**
   * Returns the complete object of this name (with apiVersion, kind, and metadata); empty if there
   * is none.
   */
  Optional<ObjectNode> get(String namespace, String name);

  /** Returns the objects of a namespace, or of all namespaces if it is null. */
  List<ObjectNode> list(@Nullable String namespace);
}
