package io.berth.demo.autoscaler;

import io.berth.crds.SchedulingQueue;
import io.berth.crds.SchedulingQueueSpec;
import io.berth.crds.queue.QueueNamespaces;
import io.berth.demo.invariant.EngineSources;
import io.berth.engine.Engine;
import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.api.Idle;
import io.berth.engine.api.Outcome;
import io.berth.engine.api.WaitCause;
import io.berth.engine.model.PodRef;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A cluster without an API server, on a virtual clock. {@link #schedule} writes what a scheduler
 * decides: Berth, or one that asks for nodes for every pod without a place and knows no groups, as
 * kube-scheduler does.
 */
final class ModelCluster implements AutoscaledCluster {
  private static final String SCHEDULER = "berth";
  private static final String NOT_READY = "node.kubernetes.io/not-ready";
  private static final Namespace DEFAULT =
      new NamespaceBuilder().withNewMetadata().withName("default").endMetadata().build();

  /** The time after which pods of incomplete groups get a message, and more. */
  private static final Duration UNTIL_MESSAGES = Duration.ofSeconds(3);

  private final KubernetesClient client;
  private final boolean knowsGroups;
  private final Map<String, Node> nodes = new TreeMap<>();
  private final Map<String, Pod> pods = new TreeMap<>();
  private final Map<String, Instant> ends = new HashMap<>();
  private final List<SchedulingQueue> queues = new ArrayList<>();
  private Map<String, String> nodeAnnotations = Map.of();
  private int created;
  private int evicted;
  private int removed;

  /**
   * @param client used to build feeds; no requests are sent
   * @param knowsGroups whether the scheduler is Berth
   */
  ModelCluster(KubernetesClient client, boolean knowsGroups) {
    this.client = client;
    this.knowsGroups = knowsGroups;
  }

  /** Annotates nodes that join, as their agents would. */
  void annotateNodes(Map<String, String> annotations) {
    nodeAnnotations = Map.copyOf(annotations);
  }

  /** Creates a pod that requests also this amount of a resource. */
  void create(String name, String cpu, String resource, String amount) {
    create(name, cpu, Map.of(), 0);
    pods.computeIfPresent(
        "default/" + name,
        (key, pod) ->
            new PodBuilder(pod)
                .editSpec()
                .editFirstContainer()
                .editResources()
                .addToRequests(resource, new Quantity(amount))
                .addToLimits(resource, new Quantity(amount))
                .endResources()
                .endContainer()
                .endSpec()
                .build());
  }

  /** Creates a pod that may use every node. */
  void create(String name, String cpu, Map<String, String> annotations, int priority) {
    create(name, cpu, annotations, priority, Map.of());
  }

  /** Creates a pod. */
  void create(
      String name,
      String cpu,
      Map<String, String> annotations,
      int priority,
      Map<String, String> nodeSelector) {
    pods.put(
        "default/" + name,
        new PodBuilder()
            .withNewMetadata()
            .withNamespace("default")
            .withName(name)
            .withUid("uid-" + name + "-" + created++)
            .withCreationTimestamp(Instant.EPOCH.plusSeconds(created).toString())
            .withAnnotations(knowsGroups ? annotations : Map.of())
            .endMetadata()
            .withNewSpec()
            .withSchedulerName(SCHEDULER)
            .withPriority(priority)
            .withNodeSelector(nodeSelector)
            .addNewContainer()
            .withName("main")
            .withImage("main")
            .withNewResources()
            .addToRequests("cpu", new Quantity(cpu))
            .endResources()
            .endContainer()
            .endSpec()
            .withNewStatus()
            .withPhase("Pending")
            .endStatus()
            .build());
  }

  /**
   * Creates a queue for pods of the namespace {@code default}. Other schedulers than Berth do not
   * know it.
   *
   * @param limit the CPUs that its pods may use together; none for no limit
   */
  void createQueue(String name, Optional<String> limit) {
    SchedulingQueue queue = new SchedulingQueue();
    queue.setMetadata(new ObjectMetaBuilder().withName(name).withUid(name).build());
    queue.setSpec(
        new SchedulingQueueSpec(
            null,
            null,
            limit.map(cpu -> Map.of("cpu", new Quantity(cpu))).orElse(null),
            null,
            null,
            null,
            null,
            null,
            new QueueNamespaces(List.of("default"), null)));
    queues.add(queue);
  }

  /** Labels a pod, so that it belongs to a queue. */
  void enqueue(String name, String queue) {
    pods.computeIfPresent(
        "default/" + name,
        (key, pod) ->
            new PodBuilder(pod)
                .editMetadata()
                .addToLabels("sched.cloud.ctrip.com/queue", queue)
                .endMetadata()
                .build());
  }

  /** Gives a pod a controller, which replaces it when it is evicted or its node is removed. */
  void own(String name) {
    pods.computeIfPresent(
        "default/" + name,
        (key, pod) ->
            new PodBuilder(pod)
                .editMetadata()
                .addNewOwnerReference()
                .withApiVersion("apps/v1")
                .withKind("ReplicaSet")
                .withName(name)
                .withUid("owner-of-" + name)
                .endOwnerReference()
                .endMetadata()
                .build());
  }

  /** Returns the names of the pods that a queue holds. */
  List<String> held() {
    return pods.values().stream()
        .filter(
            pod ->
                pod.getStatus().getConditions().stream()
                    .anyMatch(each -> WaitCause.HELD_BY_QUEUE.name().equals(each.getReason())))
        .map(pod -> pod.getMetadata().getName())
        .toList();
  }

  /** Returns the number of pods that were evicted for others so far. */
  int evicted() {
    return evicted;
  }

  /** Returns the number of nodes that were removed so far. */
  int removed() {
    return removed;
  }

  /** Removes a pod; its controller replaces it. */
  private void lose(String key) {
    Pod lost = pods.remove(key);
    if (lost != null && !lost.getMetadata().getOwnerReferences().isEmpty()) {
      pods.put(
          key,
          new PodBuilder(lost)
              .editMetadata()
              .withUid("uid-" + lost.getMetadata().getName() + "-" + created++)
              .withCreationTimestamp(Instant.EPOCH.plusSeconds(created).toString())
              .withDeletionTimestamp(null)
              .endMetadata()
              .editSpec()
              .withNodeName(null)
              .endSpec()
              .withNewStatus()
              .withPhase("Pending")
              .endStatus()
              .build());
    }
  }

  /** Deletes a pod, if it exists. */
  void delete(String name) {
    pods.remove("default/" + name);
  }

  /** Returns the names of the pods without a node. */
  List<String> waiting() {
    return pods.values().stream()
        .filter(pod -> pod.getSpec().getNodeName() == null)
        .map(pod -> pod.getMetadata().getName())
        .toList();
  }

  /** Returns the node of a pod; null if it has none. */
  @Nullable String nodeOf(String pod) {
    return pods.get("default/" + pod).getSpec().getNodeName();
  }

  /** Lets the scheduler decide about all pods, and pods end whose time is over. */
  void schedule(Instant now) {
    ends.entrySet().stream()
        .filter(end -> !now.isBefore(end.getValue()))
        .map(Map.Entry::getKey)
        .toList()
        .forEach(
            key -> {
              ends.remove(key);
              lose(key);
            });
    EngineSources sources = EngineSources.of(client, SCHEDULER);
    if (knowsGroups) {
      sources.feed().put(DEFAULT);
      queues.forEach(queue -> sources.feed().put(queue));
    }
    nodes.values().forEach(node -> sources.feed().put(node));
    pods.values().forEach(pod -> sources.feed().put(pod));
    sources.beginTerm();
    Engine engine =
        new Engine(
            EngineOptions.defaults()
                .withSchedulerNames(Set.of(SCHEDULER))
                .withTieOrder(EngineOptions.TieOrder.BY_NAME));
    sources.engineFeed().replay(event -> engine.apply(event, now));
    decide(engine, now, now);
    decide(engine, now.plus(UNTIL_MESSAGES), now);
  }

  private void decide(Engine engine, Instant at, Instant now) {
    for (Outcome outcome = engine.next(at); !(outcome instanceof Idle); outcome = engine.next(at)) {
      switch (outcome) {
        case Decision.Placed placed -> bind(placed.pod(), placed.nodeName());
        case Decision.Unschedulable waits ->
            tell(waits.pod(), reasonOf(waits.cause()), waits.nominatedNode().orElse(null));
        case Decision.Nominated nominated -> {
          tell(nominated.pod(), "Unschedulable", nominated.nodeName());
          nominated.victims().forEach(victim -> end(victim, now));
        }
        case Outcome other -> throw new IllegalStateException("unexpected: " + other);
      }
    }
  }

  private String reasonOf(WaitCause cause) {
    return !knowsGroups || cause == WaitCause.NO_ROOM ? "Unschedulable" : cause.name();
  }

  private void bind(PodRef pod, String nodeName) {
    for (Rules rules : Rules.values()) {
      if (AutoscalerNodes.hasTaint(nodes.get(nodeName), rules.taint())) {
        throw new IllegalStateException(pod + " is bound to " + nodeName + ", which will go");
      }
    }
    pods.computeIfPresent(
        pod.toString(),
        (key, before) ->
            new PodBuilder(before)
                .editSpec()
                .withNodeName(nodeName)
                .endSpec()
                .withNewStatus()
                .withPhase("Running")
                .endStatus()
                .build());
  }

  private void tell(PodRef pod, String reason, @Nullable String nominatedNode) {
    pods.computeIfPresent(
        pod.toString(),
        (key, before) ->
            new PodBuilder(before)
                .withNewStatus()
                .withPhase("Pending")
                .withNominatedNodeName(nominatedNode)
                .addNewCondition()
                .withType("PodScheduled")
                .withStatus("False")
                .withReason(reason)
                .endCondition()
                .endStatus()
                .build());
  }

  private void end(PodRef pod, Instant now) {
    evicted++;
    ends.put(pod.toString(), now.plusSeconds(30));
    pods.computeIfPresent(
        pod.toString(),
        (key, before) ->
            new PodBuilder(before)
                .editMetadata()
                .withDeletionTimestamp(now.plusSeconds(30).toString())
                .endMetadata()
                .build());
  }

  @Override
  public List<Node> nodes() {
    return new ArrayList<>(nodes.values());
  }

  @Override
  public List<Pod> pods() {
    return new ArrayList<>(pods.values());
  }

  @Override
  public void join(Node node, boolean reports) {
    String name = node.getMetadata().getName();
    nodes.put(
        name,
        new NodeBuilder(node)
            .editMetadata()
            .withUid(name)
            .withAnnotations(nodeAnnotations)
            .endMetadata()
            .build());
    if (!reports) {
      Taint taint = new Taint();
      taint.setKey(NOT_READY);
      taint.setEffect("NoSchedule");
      taint(name, taint);
    }
  }

  @Override
  public void report(String nodeName) {
    untaint(nodeName, NOT_READY);
  }

  @Override
  public void taint(String nodeName, Taint taint) {
    nodes.computeIfPresent(
        nodeName,
        (key, node) -> new NodeBuilder(node).editSpec().addToTaints(taint).endSpec().build());
  }

  @Override
  public void untaint(String nodeName, String key) {
    nodes.computeIfPresent(
        nodeName,
        (name, node) ->
            new NodeBuilder(node)
                .editSpec()
                .removeMatchingFromTaints(taint -> taint.getKey().equals(key))
                .endSpec()
                .build());
  }

  @Override
  public void evict(Pod pod) {
    lose(Autoscaler.nameOf(pod));
  }

  @Override
  public void remove(String nodeName) {
    nodes.remove(nodeName);
    removed++;
    pods.values().stream()
        .filter(pod -> nodeName.equals(pod.getSpec().getNodeName()))
        .map(Autoscaler::nameOf)
        .toList()
        .forEach(this::lose);
  }
}
