package io.berth.operator.extender;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.Engine;
import io.berth.engine.api.AdviceRequest;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.api.Outcome;
import io.berth.engine.kube.KubeEvents;
import io.berth.engine.policy.PolicyCompilation;
import io.berth.engine.policy.PolicyCompiler;
import io.berth.operator.BerthOptions;
import io.berth.operator.api.HttpServiceCalls;
import io.berth.operator.api.ScriptedServer;
import io.berth.operator.api.ScriptedServer.Reply;
import io.berth.operator.api.ServiceFiles;
import io.berth.operator.record.BerthMetrics;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** An engine whose consultations are answered by extenders, and an API server with its objects. */
final class AdvisedEngine implements AutoCloseable {
  static final JsonMapper JSON = new JsonMapper();

  private final Map<String, JsonNode> pods = new ConcurrentHashMap<>();
  private final Map<String, Node> nodes = new ConcurrentHashMap<>();
  private final KubeEvents events = new KubeEvents();
  private final Engine engine;
  private final ScriptedServer api;
  private final BerthMetrics metrics = new BerthMetrics(List.of("berth"));
  private final ExtenderAdvisor advisor;
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");

  /**
   * @param schedulerName the scheduler name of the pods that it places
   */
  AdvisedEngine(String schedulerName) throws IOException {
    engine =
        new Engine(
            EngineOptions.defaults()
                .withSchedulerNames(List.of(schedulerName))
                .withTieOrder(EngineOptions.TieOrder.BY_NAME));
    api = new ScriptedServer((path, body) -> pod(path));
    advisor =
        new ExtenderAdvisor(
            new ClusterObjects(
                api.api(), name -> Optional.ofNullable(nodes.get(name)), this::placedPod),
            api.api(),
            HttpServiceCalls.opener(new ServiceFiles(BerthOptions.EXTENDER_FILES)),
            metrics,
            () -> true);
  }

  private Reply pod(String path) {
    JsonNode pod = pods.get(path.substring(path.lastIndexOf('/') + 1));
    return pod == null ? new Reply(404, "{}") : new Reply(200, pod.toString());
  }

  private Optional<ClusterObjects.OnNode> placedPod(String uid) {
    return Optional.empty();
  }

  BerthMetrics metrics() {
    return metrics;
  }

  ExtenderAdvisor advisor() {
    return advisor;
  }

  ScriptedServer api() {
    return api;
  }

  /** Serves a policy with these extenders. */
  void serve(String extenders) {
    try {
      SchedulingPolicySpec spec =
          JSON.readValue(
              "{\"default\": true, \"extenders\": " + extenders + "}", SchedulingPolicySpec.class);
      PolicyCompilation compiled = new PolicyCompiler().compile("batch", "1", spec);
      assertThat(compiled).isInstanceOf(PolicyCompilation.Compiled.class);
      apply(new ClusterEvent.PolicyServed(((PolicyCompilation.Compiled) compiled).policy()));
      apply(new ClusterEvent.DefaultPolicyChanged("batch"));
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }

  void apply(ClusterEvent event) {
    assertThat(engine.apply(event, now)).isEmpty();
  }

  void later(Duration duration) {
    now = now.plus(duration);
  }

  void node(JsonNode json) {
    Node node = read(json, "Node", Node.class);
    nodes.put(node.getMetadata().getName(), node);
    apply(events.upserted(node));
  }

  /** Creates or changes a pod on the API server. */
  void pod(JsonNode json) {
    pods.put(json.path("metadata").path("name").asText(), json);
    apply(events.upserted(read(json, "Pod", Pod.class)));
  }

  /** Removes a pod from the API server, without an event. */
  void forgetOnServer(String name) {
    pods.remove(name);
  }

  void remove(JsonNode json) {
    pods.remove(json.path("metadata").path("name").asText());
    apply(events.removed(read(json, "Pod", Pod.class)));
  }

  private static <T extends HasMetadata> T read(JsonNode json, String kind, Class<T> type) {
    try {
      T object = JSON.treeToValue(json, type);
      object.getMetadata().setManagedFields(null);
      assertThat(object.getKind()).isEqualTo(kind);
      return object;
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /** Returns the next decision, after all consultations that it requires. */
  Decision decision() {
    Outcome outcome = engine.next(now);
    for (; outcome instanceof AdviceRequest adviceRequest; outcome = engine.next(now)) {
      CompletableFuture<ClusterEvent.Advised> answer = new CompletableFuture<>();
      advisor.advise(adviceRequest, answer::complete);
      apply(answer.orTimeout(20, TimeUnit.SECONDS).join());
    }
    assertThat(outcome).isInstanceOf(Decision.class);
    return (Decision) outcome;
  }

  /** Returns the next outcome of any kind. */
  Outcome next() {
    return engine.next(now);
  }

  @Override
  public void close() {
    advisor.close();
    metrics.close();
    api.close();
  }
}
