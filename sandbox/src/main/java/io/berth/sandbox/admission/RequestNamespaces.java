package io.berth.sandbox.admission;

import io.berth.sandbox.resource.ResourceRegistry;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.store.ObjectKey;
import io.berth.sandbox.store.ObjectStore;
import io.berth.sandbox.store.StoredObject;
import java.util.Map;
import java.util.Optional;

/** The namespaces that requests refer to. */
public final class RequestNamespaces {
  private final ObjectStore store;
  private final ResourceType namespaces;

  /** Creates a reader of the namespaces of a store. */
  public RequestNamespaces(ObjectStore store, ResourceRegistry registry) {
    this.store = store;
    this.namespaces = registry.builtIn("", "namespaces");
  }

  /** Returns the namespace of the requested object; empty if it has none. */
  public Optional<StoredObject> of(AdmissionRequest request) {
    if (!request.type().namespaced()) {
      return Optional.empty();
    }
    return store.get(namespaces.storage(), ObjectKey.clusterScoped(request.namespace()));
  }

  /**
   * Returns the labels of the request's namespace, which is the requested object itself if that is
   * a namespace.
   */
  public Map<String, String> labels(AdmissionRequest request) {
    if (request.type().is("", "namespaces")) {
      return request.object().or(request::oldObject).map(MatchCriteria::labels).orElse(Map.of());
    }
    return of(request).map(StoredObject::labels).orElse(Map.of());
  }
}
