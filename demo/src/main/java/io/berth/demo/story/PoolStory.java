package io.berth.demo.story;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.crds.Annotations;
import io.berth.demo.cluster.Checkout;
import io.berth.demo.cluster.Manifests;
import io.berth.demo.cluster.Patience;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The story of the sample {@code resource-pool}: from {@code kubectl apply} to a live change of the
 * policy and a pod that has to wait for a node.
 *
 * <p>It works on any cluster with Berth whose nodes in the pools A and B are empty and have a whole
 * number of CPUs.
 */
public final class PoolStory {
  private static final String CONFIG = "resource-pool-example";
  private static final String POLICY = "pool-first";
  private static final String WORKLOAD = "web";
  private static final String TOO_BIG = "too-big";
  private static final String BIG_NODE = "node-b-big";
  private static final Map<String, Quantity> BIG_SIZE =
      Map.of(
          "cpu", new Quantity("96"),
          "memory", new Quantity("256Gi"),
          "pods", new Quantity("110"));
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

  /** A source of Berth's explanation of its last decision for a pod, as JSON. */
  @FunctionalInterface
  public interface Explain {
    String explain(String namespace, String pod) throws Exception;
  }

  private final Stage stage;
  private final Checkout checkout;
  private final Explain explain;
  private final Consumer<Chapter> audience;

  /**
   * Creates the story.
   *
   * @param namespace an existing namespace
   * @param controllers whether Deployments create pods on this cluster
   * @param audience receives each chapter when it is complete
   */
  public PoolStory(
      KubernetesClient client,
      String namespace,
      boolean controllers,
      Checkout checkout,
      Explain explain,
      Consumer<Chapter> audience) {
    this.stage = new Stage(client, namespace, controllers);
    this.checkout = checkout;
    this.explain = explain;
    this.audience = audience;
  }

  /** Runs all chapters, even if checks fail, and returns whether every check passed. */
  public boolean tell() throws Exception {
    boolean held = true;
    for (Part part :
        List.<Part>of(
            this::applied, this::poolAFirst, this::changedLive, this::waitsForANode, this::shown)) {
      Chapter chapter = part.tell();
      audience.accept(chapter);
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
    boolean config = Patience.within(PATIENCE, () -> stage.configReadiness(CONFIG).ready());
    chapter.claim(
        config, "the NodeSchedulerConfig is ready", stage.configReadiness(CONFIG).words());
    boolean policy =
        Patience.within(
            PATIENCE,
            () -> stage.policyReadiness(POLICY).ready() && stage.serving(POLICY).isPresent());
    chapter.claim(
        policy,
        "the SchedulingPolicy is ready and serving",
        stage
            .serving(POLICY)
            .map(revision -> "revision " + revision)
            .orElse(stage.policyReadiness(POLICY).words()));
    return chapter.done();
  }

  private Chapter poolAFirst() throws Exception {
    Chapter.Writer chapter = new Chapter.Writer("Pool A first, then pool B");
    int roomInA = stage.cpusOf("A");
    stage.scale(WORKLOAD, roomInA);
    Patience.within(PATIENCE, () -> stage.bound(WORKLOAD).size() == roomInA);
    List<Pod> first = stage.bound(WORKLOAD);
    chapter.claim(
        stage.byPool(first).equals(Map.of("A", roomInA)),
        "the first %d pods fill pool A, and none goes to pool B".formatted(roomInA),
        stage.byPool(first));
    Optional<Pod> one = first.stream().findFirst();
    chapter.claim(
        one.isPresent() && poolsRequired(one.get()).equals(List.of("A", "B")),
        "the pods have the rendered node affinity",
        one.map(pod -> "required pools " + poolsRequired(pod)).orElse("no pod"));
    chapter.claim(
        one.isPresent() && one.get().getSpec().getSchedulerName().equals("berth"),
        "the policy set their schedulerName to berth",
        one.map(pod -> pod.getMetadata().getAnnotations().get(Annotations.APPLIED)).orElse(""));
    stage.scale(WORKLOAD, roomInA + OVERFLOW);
    Patience.within(PATIENCE, () -> stage.bound(WORKLOAD).size() == roomInA + OVERFLOW);
    Map<String, Integer> both = stage.byPool(stage.bound(WORKLOAD));
    chapter.claim(
        both.equals(Map.of("A", roomInA, "B", OVERFLOW)),
        "the next %d pods go to pool B".formatted(OVERFLOW),
        both);
    return chapter.done();
  }

  private Chapter changedLive() throws Exception {
    Chapter.Writer chapter =
        new Chapter.Writer(
            "A live policy change without a restart: LeastAllocated to MostAllocated");
    String before = stage.serving(POLICY).orElse("none");
    Map<String, Integer> spread = stage.byNodeOf("B", stage.bound(WORKLOAD));
    List<String> old = names(stage.bound(WORKLOAD));
    long start = System.nanoTime();
    stage.patchPolicy(POLICY, PACKING);
    boolean serves =
        Patience.within(
            PATIENCE,
            () -> stage.serving(POLICY).filter(revision -> !revision.equals(before)).isPresent());
    Duration took = Duration.ofNanos(System.nanoTime() - start);
    chapter.claim(
        serves && took.compareTo(LIVE) < 0,
        "the new revision is serving within a second",
        "%s after %d ms".formatted(stage.serving(POLICY).orElse("none"), took.toMillis()));
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
        "the next %d pods are packed onto the fullest node with room".formatted(AFTER_CHANGE),
        "pool B had " + spread + ", and they went to " + added);
    return chapter.done();
  }

  private Chapter waitsForANode() throws Exception {
    Chapter.Writer chapter =
        new Chapter.Writer("A pod that fits on no node reports why, and is placed later");
    Pod template = stage.pods(WORKLOAD).getFirst();
    stage.create(
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
            .build());
    Patience.within(
        PATIENCE,
        () -> stage.refusal(TOO_BIG).isPresent() && stage.failedScheduling(TOO_BIG).isPresent());
    String expected = expectedRefusal();
    String message = stage.refusal(TOO_BIG).orElse("");
    chapter.claim(
        message.startsWith(expected),
        "its PodScheduled condition has kube-scheduler's message",
        message);
    chapter.claim(
        stage.failedScheduling(TOO_BIG).filter(event -> event.startsWith(expected)).isPresent(),
        "its FailedScheduling event has the same message",
        stage.failedScheduling(TOO_BIG).orElse("none"));
    PoolNodes.add(stage.client(), BIG_NODE, "B", BIG_SIZE);
    boolean placed =
        Patience.within(PATIENCE, () -> BIG_NODE.equals(stage.nodeOf(TOO_BIG).orElse("")));
    chapter.claim(
        placed,
        "when a large enough node is added, the pod is bound to it",
        stage.nodeOf(TOO_BIG).orElse(""));
    return chapter.done();
  }

  private Chapter shown() throws Exception {
    Chapter.Writer chapter = new Chapter.Writer("Where each pod runs, and why");
    for (String resource :
        List.of(
            "nodeschedulerconfigs",
            "podschedulerconfigs",
            "schedulerconfigbindings",
            "schedulingpolicies")) {
      List<String> columns = ColumnTable.columns(stage.client(), resource);
      chapter.claim(
          columns.containsAll(List.of("Name", "Ready", "Reason", "Age")),
          "kubectl get " + resource + " has the columns Name, Ready, Reason, and Age",
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
                  decision.map(Why::words).orElse("no decision is recorded")));
    }
    chapter.claim(
        explained == pods.size() && explained > 0,
        "every decision can be explained",
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

  private static List<String> names(List<Pod> pods) {
    return pods.stream().map(pod -> pod.getMetadata().getName()).toList();
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
        .filter(expression -> expression.getKey().equals(PoolNodes.POOL_LABEL))
        .flatMap(expression -> expression.getValues().stream())
        .sorted()
        .toList();
  }

  private String expectedRefusal() {
    int all = stage.nodes().size();
    int inPools = stage.nodesOf("A").size() + stage.nodesOf("B").size();
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
}
