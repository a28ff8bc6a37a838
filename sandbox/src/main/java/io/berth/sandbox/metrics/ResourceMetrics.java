package io.berth.sandbox.metrics;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.resource.ReadOnlySource;
import io.berth.sandbox.resource.ResourceRegistry;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.store.Json;
import io.berth.sandbox.store.ObjectKey;
import io.berth.sandbox.store.ObjectStore;
import io.berth.sandbox.store.Storage;
import io.berth.sandbox.store.StoredObject;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The metrics.k8s.io API, computed from the pods that are running at the time of the request. */
public final class ResourceMetrics {
  private static final String GROUP = "metrics.k8s.io";
  private static final String VERSION = "v1beta1";

  private final ObjectStore store;
  private final ResourceType pods;
  private final ResourceType nodes;
  private final Clock clock;

  private ResourceMetrics(ObjectStore store, ResourceRegistry registry, Clock clock) {
    this.store = store;
    this.pods = registry.builtIn("", "pods");
    this.nodes = registry.builtIn("", "nodes");
    this.clock = clock;
  }

  /** Registers the node and pod metrics with a server's resources. */
  public static void register(ObjectStore store, ResourceRegistry registry, Clock clock) {
    ResourceMetrics metrics = new ResourceMetrics(store, registry, clock);
    registry.addComputed(type("NodeMetrics", "nodes", false), metrics.new OfNodes());
    registry.addComputed(type("PodMetrics", "pods", true), metrics.new OfPods());
  }

  private static ResourceType type(String kind, String plural, boolean namespaced) {
    return new ResourceType(
        GROUP,
        VERSION,
        kind,
        plural,
        "",
        namespaced,
        List.of(),
        List.of(),
        Set.of(),
        Set.of("get", "list"),
        new Storage(GROUP + "/" + plural, List.of()),
        false);
  }

  private ObjectNode metrics(String kind, StoredObject object) {
    ObjectNode metrics = Json.object();
    metrics.put("kind", kind).put("apiVersion", GROUP + "/" + VERSION);
    String now = clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
    ObjectNode metadata = metrics.putObject("metadata").put("name", object.key().name());
    if (!object.key().namespace().isEmpty()) {
      metadata.put("namespace", object.key().namespace());
    }
    metadata.put("creationTimestamp", now);
    ObjectNode labels = metadata.putObject("labels");
    object.labels().forEach(labels::put);
    return metrics.put("timestamp", now).put("window", "20s");
  }

  private static boolean runs(JsonNode pod) {
    return pod.path("status").path("phase").asText().equals("Running");
  }

  private final class OfNodes implements ReadOnlySource {
    @Override
    public Optional<ObjectNode> get(String namespace, String name) {
      return store
          .get(nodes.storage(), ObjectKey.clusterScoped(name))
          .map(
              node -> {
                Usage used = new Usage(0, 0);
                for (StoredObject pod :
                    store.listByField(pods.storage(), "spec.nodeName", name, null).objects()) {
                  if (runs(pod.json())) {
                    used = used.plus(Usage.ofPod(pod.json()));
                  }
                }
                return of(node, used);
              });
    }

    @Override
    public List<ObjectNode> list(@Nullable String namespace) {
      Map<String, Usage> byNode = new HashMap<>();
      for (StoredObject pod : store.list(pods.storage(), null).objects()) {
        if (runs(pod.json())) {
          byNode.merge(
              pod.json().path("spec").path("nodeName").asText(),
              Usage.ofPod(pod.json()),
              Usage::plus);
        }
      }
      List<ObjectNode> list = new ArrayList<>();
      for (StoredObject node : store.list(nodes.storage(), null).objects()) {
        list.add(of(node, byNode.getOrDefault(node.key().name(), new Usage(0, 0))));
      }
      return list;
    }

    private ObjectNode of(StoredObject node, Usage pods) {
      ObjectNode metrics = metrics("NodeMetrics", node);
      metrics.set("usage", Usage.ofNode(node.json(), pods).toJson());
      return metrics;
    }
  }

  private final class OfPods implements ReadOnlySource {
    @Override
    public Optional<ObjectNode> get(String namespace, String name) {
      return store
          .get(pods.storage(), new ObjectKey(namespace, name))
          .filter(pod -> runs(pod.json()))
          .map(this::of);
    }

    @Override
    public List<ObjectNode> list(@Nullable String namespace) {
      return store.list(pods.storage(), namespace).objects().stream()
          .filter(pod -> runs(pod.json()))
          .map(this::of)
          .toList();
    }

    private ObjectNode of(StoredObject pod) {
      ObjectNode metrics = metrics("PodMetrics", pod);
      ArrayNode containers = metrics.putArray("containers");
      for (JsonNode container : pod.json().path("spec").path("containers")) {
        ObjectNode entry = containers.addObject();
        entry.put("name", container.path("name").asText());
        entry.set("usage", Usage.ofContainer(pod.json(), container).toJson());
      }
      return metrics;
    }
  }
}
