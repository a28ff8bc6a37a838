package io.berth.demo.story;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.crds.Annotations;
import io.berth.crds.NodeSchedulerConfig;
import io.berth.crds.SchedulingPolicy;
import io.berth.crds.SchedulingPolicyStatus;
import io.berth.demo.cluster.Checkout;
import io.berth.demo.cluster.Manifests;
import io.berth.demo.cluster.Patience;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * The sample {@code resource-pool} from {@code kubectl apply} to a live change of the policy, and a
 * pod that has to wait for a node.
 *
 * <p>It works on any cluster whose nodes of the pools A and B are empty and hold whole CPUs, and on
 * which Berth runs.
 */
public final class PoolStory {
  private static final String CONFIG = "resource-pool-example";
  private static final String POLICY = "pool-first";
  private static final String WORKLOAD = "web";
  private static final String TOO_BIG = "too-big";
  private static final int OVERFLOW = 4;
  private static final int AFTER_CHANGE = 2;
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Duration LIVE = Duration.ofSeconds(1);
  private static final ObjectMapper JSON = new ObjectMapper();

  private static final String PACKING =
      """
      {"spec": {"priorities": [
        {"name": "NodeAffinity", "weight": 30},
        {"name": "NodeResourcesFit", "weight": 10, "args": {"scoringStrategy": {
          "type": "MostAllocated", "resources": [{"name": "cpu", "weight": 1}]}}}]}}\
      """;

  /** What Berth says of its last decision on a pod of a namespace, as JSON. */
  @FunctionalInterface
  public interface Explain {
    String explain(String namespace, String pod) throws Exception;
  }

  private final Stage stage;
  private final Checkout checkout;
  private final Explain explain;
  private final Consumer<Chapter> told;

  /**
   * Prepares the story.
   *
   * @param namespace exists
   * @param controllers whether Deployments make pods on this cluster
   * @param told hears of each chapter when it is over
   */
  public PoolStory(
      KubernetesClient client,
      String namespace,
      boolean controllers,
      Checkout checkout,
      Explain explain,
      Consumer<Chapter> told) {
    this.stage = new Stage(client, namespace, controllers);
    this.checkout = checkout;
    this.explain = explain;
    this.told = told;
  }

  /** Tells it to the end, whatever happens; whether all was as described. */
  public boolean tell() throws Exception {
    boolean held = true;
    for (Part part :
        List.<Part>of(
            this::applied, this::poolAFirst, this::changedLive, this::waitsForANode, this::shown)) {
      Chapter chapter = part.tell();
      told.accept(chapter);
      held &= chapter.held();
    }
    return held;
  }

  @FunctionalInterface
  private interface Part {
    Chapter tell() throws Exception;
  }

  private Chapter applied() throws InterruptedException {
    Chapter.Writer chapter = new Chapter.Writer("kubectl apply -f samples/resource-pool");
    Manifests manifests = new Manifests(stage.client());
    for (Path file : checkout.sample("resource-pool")) {
      for (HasMetadata object : manifests.read(file)) {
        stage.apply(object);
        chapter.line(object.getKind() + " " + object.getMetadata().getName());
      }
    }
    boolean config = Patience.within(PATIENCE, () -> ready(configConditions()));
    chapter.claim(config, "the NodeSchedulerConfig is ready", words(configConditions()));
    boolean policy =
        Patience.within(PATIENCE, () -> ready(policyConditions()) && serving().isPresent());
    chapter.claim(
        policy,
        "the SchedulingPolicy is ready and serves",
        serving().map(revision -> "revision " + revision).orElse(words(policyConditions())));
    return chapter.done();
  }

  private Chapter poolAFirst() throws Exception {
    Chapter.Writer chapter = new Chapter.Writer("Pool A first, then pool B");
    int roomInA = cpusOf("A");
    stage.scale(WORKLOAD, roomInA);
    Patience.within(PATIENCE, () -> stage.bound(WORKLOAD).size() == roomInA);
    List<Pod> first = stage.bound(WORKLOAD);
    chapter.claim(
        stage.byPool(first).equals(Map.of("A", roomInA)),
        "%d pods fill pool A and none is in B while A has room".formatted(roomInA),
        stage.byPool(first));
    Optional<Pod> one = first.stream().findFirst();
    chapter.claim(
        one.isPresent() && poolsRequired(one.get()).equals(List.of("A", "B")),
        "the pods carry the rendered affinity",
        one.map(pod -> "required pools " + poolsRequired(pod)).orElse("no pod"));
    chapter.claim(
        one.isPresent() && one.get().getSpec().getSchedulerName().equals("berth"),
        "the named policy gave them Berth as scheduler",
        one.map(pod -> pod.getMetadata().getAnnotations().get(Annotations.APPLIED)).orElse(""));
    stage.scale(WORKLOAD, roomInA + OVERFLOW);
    Patience.within(PATIENCE, () -> stage.bound(WORKLOAD).size() == roomInA + OVERFLOW);
    Map<String, Integer> both = stage.byPool(stage.bound(WORKLOAD));
    chapter.claim(
        both.equals(Map.of("A", roomInA, "B", OVERFLOW)),
        "the next %d go to pool B".formatted(OVERFLOW),
        both);
    return chapter.done();
  }

  private Chapter changedLive() throws Exception {
    Chapter.Writer chapter =
        new Chapter.Writer("The policy changes, nobody restarts: LeastAllocated to MostAllocated");
    String before = serving().orElse("none");
    Map<String, Integer> spread = podsByNodeOf("B");
    List<String> old = names(stage.bound(WORKLOAD));
    long start = System.nanoTime();
    stage
        .client()
        .resources(SchedulingPolicy.class)
        .withName(POLICY)
        .patch(PatchContext.of(PatchType.JSON_MERGE), PACKING);
    boolean serves =
        Patience.within(
            PATIENCE, () -> serving().filter(revision -> !revision.equals(before)).isPresent());
    Duration took = Duration.ofNanos(System.nanoTime() - start);
    chapter.claim(
        serves && took.compareTo(LIVE) < 0,
        "the new revision serves within a second",
        "%s after %d ms".formatted(serving().orElse("none"), took.toMillis()));
    int replicas = stage.pods(WORKLOAD).size() + AFTER_CHANGE;
    stage.scale(WORKLOAD, replicas);
    Patience.within(PATIENCE, () -> stage.bound(WORKLOAD).size() == replicas);
    List<String> added = new ArrayList<>();
    for (Pod pod : stage.bound(WORKLOAD)) {
      if (!old.contains(pod.getMetadata().getName())) {
        added.add(pod.getSpec().getNodeName());
      }
    }
    int fullest = spread.values().stream().max(Integer::compare).orElse(0);
    boolean packed =
        added.size() == AFTER_CHANGE
            && added.stream().distinct().count() == 1
            && spread.getOrDefault(added.getFirst(), 0) == fullest;
    chapter.claim(
        packed,
        "the next %d pods pack onto the fullest node with room".formatted(AFTER_CHANGE),
        "pool B held " + spread + ", they went to " + added);
    return chapter.done();
  }

  private Chapter waitsForANode() throws Exception {
    Chapter.Writer chapter =
        new Chapter.Writer("A pod that fits nowhere says why, and gets in later");
    Pod template = stage.pods(WORKLOAD).getFirst();
    stage
        .client()
        .pods()
        .inNamespace(stage.namespace())
        .resource(
            new PodBuilder()
                .withNewMetadata()
                .withName(TOO_BIG)
                .addToLabels("app", TOO_BIG)
                .addToAnnotations(Annotations.POLICY, POLICY)
                .addToAnnotations(Annotations.NSC, CONFIG)
                .addToAnnotations(
                    Annotations.NSC_ARGS,
                    template.getMetadata().getAnnotations().get(Annotations.NSC_ARGS))
                .endMetadata()
                .withNewSpec()
                .addNewContainerLike(template.getSpec().getContainers().getFirst())
                .withVolumeMounts()
                .editResources()
                .addToRequests("cpu", new Quantity("64"))
                .endResources()
                .endContainer()
                .endSpec()
                .build())
        .create();
    Patience.within(PATIENCE, () -> refusal().isPresent() && failedScheduling().isPresent());
    String expected = expectedRefusal();
    String message = refusal().orElse("");
    chapter.claim(
        message.startsWith(expected), "its condition says so in kube-scheduler's words", message);
    chapter.claim(
        failedScheduling().filter(event -> event.startsWith(expected)).isPresent(),
        "and so does its event FailedScheduling",
        failedScheduling().orElse("none"));
    Node bigger = addBigNode();
    boolean placed =
        Patience.within(
            PATIENCE, () -> bigger.getMetadata().getName().equals(nodeOf(TOO_BIG).orElse("")));
    chapter.claim(
        placed, "when a node with room is added, it is bound to it", nodeOf(TOO_BIG).orElse(""));
    return chapter.done();
  }

  private Chapter shown() throws Exception {
    Chapter.Writer chapter = new Chapter.Writer("Who went where, and why");
    for (String resource :
        List.of(
            "nodeschedulerconfigs",
            "podschedulerconfigs",
            "schedulerconfigbindings",
            "schedulingpolicies")) {
      List<String> columns = ColumnTable.columns(stage.client(), resource);
      chapter.claim(
          columns.containsAll(List.of("Name", "Ready", "Reason", "Age")),
          "kubectl get " + resource + " has columns that help",
          columns);
    }
    List<Pod> pods = new ArrayList<>(stage.bound(WORKLOAD));
    pods.addAll(stage.bound(TOO_BIG));
    chapter.line("%-26s %-14s %-5s %-11s %s".formatted("POD", "NODE", "POOL", "POLICY", "WHY"));
    int explained = 0;
    for (Pod pod : pods) {
      Optional<JsonNode> decision = decision(pod);
      explained += decision.isPresent() ? 1 : 0;
      chapter.line(
          "%-26s %-14s %-5s %-11s %s"
              .formatted(
                  pod.getMetadata().getName(),
                  pod.getSpec().getNodeName(),
                  stage.pool(pod.getSpec().getNodeName()),
                  decision.map(record -> record.path("policy").asText()).orElse("?"),
                  decision.map(Why::words).orElse("no decision is remembered")));
    }
    chapter.claim(
        explained == pods.size() && explained > 0,
        "every decision can be asked for",
        "%d of %d".formatted(explained, pods.size()));
    return chapter.done();
  }

  private Optional<JsonNode> decision(Pod pod) throws Exception {
    String answer = explain.explain(stage.namespace(), pod.getMetadata().getName());
    try {
      JsonNode json = JSON.readTree(answer);
      return json.path("decision").asText().equals("Placed") ? Optional.of(json) : Optional.empty();
    } catch (JsonProcessingException e) {
      return Optional.empty();
    }
  }

  private List<Condition> configConditions() {
    return Optional.ofNullable(
            stage.client().resources(NodeSchedulerConfig.class).withName(CONFIG).get())
        .map(NodeSchedulerConfig::getStatus)
        .map(status -> status.conditions())
        .orElse(List.of());
  }

  private List<Condition> policyConditions() {
    return stage.policyStatus(POLICY).map(SchedulingPolicyStatus::conditions).orElse(List.of());
  }

  private Optional<String> serving() {
    return stage.policyStatus(POLICY).map(SchedulingPolicyStatus::servingRevision);
  }

  private static boolean ready(List<Condition> conditions) {
    return conditions.stream()
        .anyMatch(c -> c.getType().equals("Ready") && c.getStatus().equals("True"));
  }

  private static String words(List<Condition> conditions) {
    return conditions.stream()
        .filter(c -> c.getType().equals("Ready"))
        .map(c -> c.getReason() + ", " + c.getMessage())
        .findFirst()
        .orElse("no condition Ready");
  }

  private static List<String> names(List<Pod> pods) {
    return pods.stream().map(pod -> pod.getMetadata().getName()).toList();
  }

  private List<Node> nodesOf(String pool) {
    return stage.client().nodes().withLabel(Stage.POOL_LABEL, pool).list().getItems();
  }

  private int cpusOf(String pool) {
    return nodesOf(pool).stream()
        .mapToInt(
            node -> node.getStatus().getAllocatable().get("cpu").getNumericalAmount().intValue())
        .sum();
  }

  private Map<String, Integer> podsByNodeOf(String pool) {
    TreeMap<String, Integer> counts = new TreeMap<>();
    nodesOf(pool).forEach(node -> counts.put(node.getMetadata().getName(), 0));
    for (Pod pod : stage.bound(WORKLOAD)) {
      counts.computeIfPresent(pod.getSpec().getNodeName(), (node, count) -> count + 1);
    }
    return counts;
  }

  private static List<String> poolsRequired(Pod pod) {
    var affinity = pod.getSpec().getAffinity();
    if (affinity == null || affinity.getNodeAffinity() == null) {
      return List.of();
    }
    return affinity
        .getNodeAffinity()
        .getRequiredDuringSchedulingIgnoredDuringExecution()
        .getNodeSelectorTerms()
        .stream()
        .flatMap(term -> term.getMatchExpressions().stream())
        .filter(expression -> expression.getKey().equals(Stage.POOL_LABEL))
        .flatMap(expression -> expression.getValues().stream())
        .sorted()
        .toList();
  }

  private String expectedRefusal() {
    int all = stage.client().nodes().list().getItems().size();
    int inPools = nodesOf("A").size() + nodesOf("B").size();
    String elsewhere =
        all == inPools
            ? ""
            : "%d node(s) didn't match Pod's node affinity/selector".formatted(all - inPools);
    String full = "%d Insufficient cpu".formatted(inPools);
    String reasons =
        elsewhere.isEmpty()
            ? full
            : elsewhere.compareTo(full) < 0 ? elsewhere + ", " + full : full + ", " + elsewhere;
    return "0/%d nodes are available: %s.".formatted(all, reasons);
  }

  private Optional<String> refusal() {
    return Optional.ofNullable(
            stage.client().pods().inNamespace(stage.namespace()).withName(TOO_BIG).get())
        .flatMap(
            pod ->
                pod.getStatus().getConditions().stream()
                    .filter(c -> c.getType().equals("PodScheduled"))
                    .filter(c -> "Unschedulable".equals(c.getReason()))
                    .map(PodCondition::getMessage)
                    .findFirst());
  }

  private Optional<String> failedScheduling() {
    return stage
        .client()
        .v1()
        .events()
        .inNamespace(stage.namespace())
        .withField("involvedObject.name", TOO_BIG)
        .withField("reason", "FailedScheduling")
        .list()
        .getItems()
        .stream()
        .map(event -> event.getMessage())
        .findFirst();
  }

  private Optional<String> nodeOf(String pod) {
    return Optional.ofNullable(
            stage.client().pods().inNamespace(stage.namespace()).withName(pod).get())
        .map(found -> found.getSpec().getNodeName());
  }

  private Node addBigNode() {
    Map<String, Quantity> size =
        Map.of(
            "cpu", new Quantity("96"),
            "memory", new Quantity("256Gi"),
            "pods", new Quantity("110"));
    String name = "node-b-big";
    Node created =
        stage
            .client()
            .nodes()
            .resource(
                new NodeBuilder()
                    .withNewMetadata()
                    .withName(name)
                    .addToLabels(Stage.POOL_LABEL, "B")
                    .addToLabels("kubernetes.io/hostname", name)
                    .endMetadata()
                    .withNewStatus()
                    .withCapacity(size)
                    .withAllocatable(size)
                    .endStatus()
                    .build())
            .create();
    NodeTaints.clear(stage.client(), created);
    return created;
  }
}
