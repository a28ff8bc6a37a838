package io.berth.sandbox.resource;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Objects that are computed when they are asked for, not stored: metrics.k8s.io. A resource with a
 * source is registered by {@link ResourceRegistry#addComputed}; it offers get and list only.
 */
public interface ReadOnlySource {

  /** The object of this name, in full (apiVersion, kind, metadata). */
  Optional<ObjectNode> get(String namespace, String name);

  /** All objects, or those of a namespace. */
  List<ObjectNode> list(@Nullable String namespace);
}
