package io.berth.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.sandbox.admission.webhook.ServiceResolver;
import io.berth.sandbox.resource.ResourceRegistry;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.store.ObjectKey;
import io.berth.sandbox.store.ObjectStore;
import io.berth.sandbox.store.StoredObject;
import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * Resolves a Service to the first address in its EndpointSlices or, failing that, its Endpoints. A
 * server that runs in this process has to create one of the two for its Service.
 */
final class ServiceAddresses implements ServiceResolver {
  private static final String SERVICE_LABEL = "kubernetes.io/service-name";

  private final ObjectStore store;
  private final ResourceType slices;
  private final ResourceType endpoints;

  ServiceAddresses(ObjectStore store, ResourceRegistry registry) {
    this.store = store;
    this.slices = registry.builtIn("discovery.k8s.io", "endpointslices");
    this.endpoints = registry.builtIn("", "endpoints");
  }

  @Override
  public Optional<InetSocketAddress> resolve(String namespace, String name, int port) {
    for (StoredObject slice : store.list(slices.storage(), namespace).objects()) {
      if (name.equals(slice.labels().get(SERVICE_LABEL))) {
        JsonNode address = slice.json().path("endpoints").path(0).path("addresses").path(0);
        Optional<InetSocketAddress> found = at(address, slice.json().path("ports"), port);
        if (found.isPresent()) {
          return found;
        }
      }
    }
    return store
        .get(endpoints.storage(), new ObjectKey(namespace, name))
        .flatMap(
            object -> {
              JsonNode subset = object.json().path("subsets").path(0);
              return at(subset.path("addresses").path(0).path("ip"), subset.path("ports"), port);
            });
  }

  private static Optional<InetSocketAddress> at(JsonNode address, JsonNode ports, int servicePort) {
    int port = ports.path(0).path("port").asInt(servicePort);
    return address.asText().isEmpty()
        ? Optional.empty()
        : Optional.of(new InetSocketAddress(address.asText(), port));
  }
}
