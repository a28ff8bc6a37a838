package io.berth.demo.soak;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.SchedulingQueue;
import io.berth.demo.story.NodeTaints;
import io.berth.demo.tenants.ObjectKey;
import io.berth.demo.tenants.SharedCluster;
import io.berth.demo.tenants.Tenants;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimTemplate;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.net.HttpURLConnection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * A cluster behind an API server, as the tenants see it. Its nodes have a taint and a label that
 * only their pods tolerate and select, so that other nodes and pods of the cluster are left alone;
 * the tenants do not see them.
 */
final class ApiCluster implements SharedCluster, AutoCloseable {
  /** The key of the taint and the label of the nodes. */
  static final String MARK = "berth.io/soak";

  private static final String DEVICES = "/apis/resource.k8s.io/v1/";
  private static final int ATTEMPTS = 10;
  private static final long PAUSE_MILLIS = 200;
  private static final Set<Integer> WORTH_ANOTHER_ATTEMPT =
      Set.of(HttpURLConnection.HTTP_CONFLICT, HttpURLConnection.HTTP_INTERNAL_ERROR);

  private final KubernetesClient admin;
  private final KubernetesSerialization serialization;
  private final SharedIndexInformer<Pod> pods;
  private final SharedIndexInformer<Node> nodes;

  /** Follows the pods and nodes of a cluster, which the client may change. */
  ApiCluster(KubernetesClient admin) {
    this.admin = admin;
    this.serialization = admin.getKubernetesSerialization();
    this.pods = admin.pods().inAnyNamespace().inform();
    this.nodes = admin.nodes().withLabel(MARK).inform();
  }

  /** Returns whether a namespace belongs to the run. */
  static boolean isOurs(String namespace) {
    return namespace.equals(Tenants.PROBES) || Tenants.NAMESPACES.contains(namespace);
  }

  /** Calls back with each new state of a pod. */
  void onPod(Consumer<Pod> listener) {
    pods.addEventHandler(
        new ResourceEventHandler<>() {
          @Override
          public void onAdd(Pod pod) {
            listener.accept(pod);
          }

          @Override
          public void onUpdate(Pod before, Pod pod) {
            listener.accept(pod);
          }

          @Override
          public void onDelete(Pod pod, boolean unknown) {
            // a probe that was deleted does not wait
          }
        });
  }

  /** Returns whether a pod is bound, as far as is known. */
  boolean isBound(String namespace, String name) {
    Pod pod = pods.getIndexer().getByKey(namespace + "/" + name);
    return pod != null && pod.getSpec().getNodeName() != null;
  }

  /** Returns the pods of the run, as far as is known. */
  List<Pod> pods() {
    return pods.getIndexer().list().stream()
        .filter(pod -> isOurs(pod.getMetadata().getNamespace()))
        .toList();
  }

  /** Returns the nodes of the run, as far as is known. */
  List<Node> nodes() {
    return nodes.getIndexer().list();
  }

  @Override
  public List<ObjectNode> all(String kind) {
    Stream<? extends HasMetadata> all =
        switch (kind) {
          case "Pod" -> pods().stream();
          case "Node" -> nodes().stream();
          case "SchedulingQueue" ->
              admin.resources(SchedulingQueue.class).list().getItems().stream();
          case "PodGroup" -> SoakGround.podGroups(admin).stream();
          case "ResourceSlice" ->
              admin.resources(ResourceSlice.class).withLabel(MARK).list().getItems().stream();
          case "ResourceClaim" -> ours(ResourceClaim.class);
          case "ResourceClaimTemplate" -> ours(ResourceClaimTemplate.class);
          default -> throw new IllegalArgumentException(kind + " is not followed");
        };
    return all.map(this::view).sorted(Comparator.comparing(ObjectKey::of)).toList();
  }

  private <T extends HasMetadata> Stream<T> ours(Class<T> kind) {
    return admin.resources(kind).inAnyNamespace().list().getItems().stream()
        .filter(object -> isOurs(object.getMetadata().getNamespace()));
  }

  @Override
  public Optional<ObjectNode> find(ObjectKey key) {
    return read(key).map(this::view);
  }

  private Optional<ObjectNode> read(ObjectKey key) {
    String json = admin.raw(path(key));
    return Optional.ofNullable(json).map(text -> serialization.unmarshal(text, ObjectNode.class));
  }

  @Override
  public void create(ObjectNode object) {
    ObjectKey key = ObjectKey.of(object);
    ObjectNode marked = marked(object);
    String path = path(key);
    repeated(() -> admin.raw(path.substring(0, path.lastIndexOf('/')), "POST", marked));
    if (key.kind().equals("Node")) {
      Optional.ofNullable(admin.nodes().withName(key.name()).get())
          .ifPresent(node -> NodeTaints.clear(admin, node));
    }
  }

  @Override
  public void change(ObjectKey key, Consumer<ObjectNode> change) {
    repeated(
        () ->
            read(key)
                .ifPresent(
                    stored -> {
                      ObjectNode changed = view(stored);
                      change.accept(changed);
                      write(key, stored, changed);
                    }));
  }

  private void write(ObjectKey key, ObjectNode stored, ObjectNode changed) {
    ObjectNode wanted = marked(changed);
    if (key.kind().equals("Node") && !wanted.path("status").equals(stored.path("status"))) {
      ObjectNode status = stored.deepCopy();
      status.set("status", changed.path("status"));
      admin.raw(path(key) + "/status", "PUT", status);
      wanted.withObject("/metadata").remove("resourceVersion");
    }
    admin.raw(path(key), "PUT", wanted);
  }

  @Override
  public void delete(ObjectKey key) {
    ObjectNode options = JsonNodeFactory.instance.objectNode();
    options.put("apiVersion", "v1").put("kind", "DeleteOptions");
    if (key.kind().equals("Pod")) {
      options.put("gracePeriodSeconds", 1);
    }
    repeated(() -> admin.raw(path(key), "DELETE", options));
  }

  /** Repeats a request that may succeed later; what is gone is left alone. */
  private static void repeated(Runnable request) {
    for (int attempt = 1; ; attempt++) {
      try {
        request.run();
        return;
      } catch (KubernetesClientException e) {
        if (e.getCode() == HttpURLConnection.HTTP_NOT_FOUND) {
          return;
        }
        if (!WORTH_ANOTHER_ATTEMPT.contains(e.getCode()) || attempt == ATTEMPTS) {
          throw e;
        }
      }
      pause();
    }
  }

  private static void pause() {
    try {
      Thread.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private static String path(ObjectKey key) {
    return switch (key.kind()) {
      case "Pod" -> "/api/v1/namespaces/" + key.namespace() + "/pods/" + key.name();
      case "Node" -> "/api/v1/nodes/" + key.name();
      case "PodDisruptionBudget" ->
          "/apis/policy/v1/namespaces/%s/poddisruptionbudgets/%s"
              .formatted(key.namespace(), key.name());
      case "Namespace" -> "/api/v1/namespaces/" + key.name();
      case "NodeSchedulerConfig" ->
          "/apis/sched.cloud.ctrip.com/v1/nodeschedulerconfigs/" + key.name();
      case "SchedulerConfigBinding" ->
          "/apis/sched.cloud.ctrip.com/v1/namespaces/%s/schedulerconfigbindings/%s"
              .formatted(key.namespace(), key.name());
      case "SchedulingPolicy" -> "/apis/sched.cloud.ctrip.com/v1/schedulingpolicies/" + key.name();
      case "PodGroup" ->
          "/apis/scheduling.x-k8s.io/v1alpha1/namespaces/%s/podgroups/%s"
              .formatted(key.namespace(), key.name());
      case "SchedulingQueue" -> "/apis/sched.cloud.ctrip.com/v1/schedulingqueues/" + key.name();
      case "ResourceSlice" -> DEVICES + "resourceslices/" + key.name();
      case "DeviceClass" -> DEVICES + "deviceclasses/" + key.name();
      case "ResourceClaim" ->
          DEVICES + "namespaces/%s/resourceclaims/%s".formatted(key.namespace(), key.name());
      case "ResourceClaimTemplate" ->
          DEVICES
              + "namespaces/%s/resourceclaimtemplates/%s".formatted(key.namespace(), key.name());
      default -> throw new IllegalArgumentException("no path for " + key.kind());
    };
  }

  /** Returns an object as tenants see it. */
  private ObjectNode view(Object object) {
    ObjectNode view = serialization.convertValue(object, ObjectNode.class).deepCopy();
    ArrayNode others = JsonNodeFactory.instance.arrayNode();
    for (JsonNode taint : view.at("/spec/taints")) {
      if (!taint.path("key").asText().equals(MARK)) {
        others.add(taint);
      }
    }
    if (view.at("/spec").has("taints")) {
      view.withObject("/spec").set("taints", others);
    }
    return view;
  }

  /** Returns an object as it is written: with the mark of the run, and as admission demands it. */
  private static ObjectNode marked(ObjectNode object) {
    ObjectNode marked = object.deepCopy();
    switch (object.path("kind").asText()) {
      case "Node" -> {
        marked.withObject("/metadata/labels").put(MARK, "true");
        marked
            .withObject("/spec")
            .withArrayProperty("taints")
            .addObject()
            .put("key", MARK)
            .put("effect", "NoSchedule");
      }
      case "Pod" -> {
        ObjectNode spec = marked.withObject("/spec");
        if (!spec.has("nodeName") && !spec.path("nodeSelector").has(MARK)) {
          spec.withObject("/nodeSelector").put(MARK, "true");
          spec.withArrayProperty("tolerations")
              .addObject()
              .put("key", MARK)
              .put("operator", "Exists");
          spec.put("terminationGracePeriodSeconds", 1);
          int priority = spec.path("priority").asInt(0);
          spec.remove("priority");
          if (priority > 0) {
            spec.put("priorityClassName", SoakGround.priorityClass(priority));
          }
        }
      }
      case "ResourceSlice", "DeviceClass" ->
          marked.withObject("/metadata/labels").put(MARK, "true");
      default -> {} // is written as it is
    }
    return marked;
  }

  @Override
  public void close() {
    pods.close();
    nodes.close();
  }
}
