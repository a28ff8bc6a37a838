package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.api.AdviceRequest;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.api.Idle;
import io.berth.engine.api.Outcome;
import io.berth.engine.api.Refusal;
import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.kube.KubeEvents;
import io.berth.engine.model.PodRef;
import io.berth.engine.policy.PolicyCompilation;
import io.berth.engine.policy.PolicyCompiler;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** An engine with the default policy, a clock that tests control, and methods to send objects. */
final class TestCluster {
  static final String POLICY = "default";

  private static final ObjectMapper JSON = new ObjectMapper();

  final Engine engine;
  private final KubeEvents events = new KubeEvents();
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");

  TestCluster() {
    this(
        EngineOptions.defaults()
            .withTieOrder(EngineOptions.TieOrder.BY_NAME)
            .recordingEverything());
  }

  TestCluster(EngineOptions options) {
    engine = new Engine(options);
    apply(new ClusterEvent.PolicyServed(policy(POLICY, SchedulingPolicySpec.defaults())));
    apply(new ClusterEvent.DefaultPolicyChanged(POLICY));
  }

  /**
   * Compiles a policy.
   *
   * @param json its spec
   */
  static CompiledPolicy policy(String name, String json) {
    try {
      return policy(name, JSON.readValue(json, SchedulingPolicySpec.class));
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(json, e);
    }
  }

  static CompiledPolicy policy(String name, SchedulingPolicySpec spec) {
    return switch (new PolicyCompiler().compile(name, "1", spec)) {
      case PolicyCompilation.Compiled compiled -> compiled.policy();
      case PolicyCompilation.Invalid invalid ->
          throw new IllegalStateException(invalid.problems().toString());
    };
  }

  Optional<Refusal> apply(ClusterEvent event) {
    return engine.apply(event, now);
  }

  /** Puts an object, in JSON with single quotation marks; returns it. */
  <T extends HasMetadata> T put(Class<T> type, String json) {
    try {
      T object = JSON.readValue(json.replace('\'', '"'), type);
      assertThat(upsert(object)).isEmpty();
      return object;
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(json, e);
    }
  }

  /** Publishes devices of a node, named {@code gpu-0} and so on, in the pool with its name. */
  void slice(String node, int devices) {
    put(
        ResourceSlice.class,
        ("{'metadata':{'name':'%s-gpus'},'spec':{'driver':'gpu.example.com','nodeName':'%s',"
                + "'pool':{'name':'%s','generation':1,'resourceSliceCount':1},'devices':[%s]}}")
            .formatted(
                node,
                node,
                node,
                IntStream.range(0, devices)
                    .mapToObj(i -> "{'name':'gpu-" + i + "'}")
                    .collect(Collectors.joining(","))));
  }

  Optional<Refusal> upsert(HasMetadata object) {
    return apply(events.upserted(object));
  }

  Optional<Refusal> remove(HasMetadata object) {
    return apply(events.removed(object));
  }

  void later(Duration duration) {
    now = now.plus(duration);
  }

  Instant now() {
    return now;
  }

  Outcome next() {
    return engine.next(now);
  }

  /** Returns the next decision, which must exist. */
  Decision decision() {
    return switch (next()) {
      case Decision decision -> decision;
      case AdviceRequest adviceRequest ->
          throw new AssertionError("asks for advice: " + adviceRequest);
      case Idle idle -> throw new AssertionError("idle until " + idle.until() + " at " + now);
    };
  }

  /**
   * Takes all current decisions in order; none may require advice.
   *
   * @param most the maximum number of decisions; more are treated as an endless loop
   */
  void decideAll(int most, Consumer<Decision> taker) {
    for (int i = 0; i < most; i++) {
      switch (next()) {
        case Decision decision -> taker.accept(decision);
        case AdviceRequest adviceRequest ->
            throw new AssertionError("unexpected: " + adviceRequest);
        case Idle idle -> {
          if (!idle.until().isReached(now)) {
            return;
          }
        }
      }
    }
    throw new AssertionError("no end of decisions");
  }

  /** Returns the next outcome, which must be a question to an advisor. */
  AdviceRequest adviceRequest() {
    Outcome outcome = next();
    if (outcome instanceof AdviceRequest adviceRequest) {
      return adviceRequest;
    }
    throw new AssertionError("asks for no advice: " + outcome);
  }

  Decision.Placed placed() {
    Decision decision = decision();
    if (decision instanceof Decision.Placed placed) {
      return placed;
    }
    throw new AssertionError("not placed: " + decision);
  }

  Decision.Nominated nominated() {
    Decision decision = decision();
    if (decision instanceof Decision.Nominated nominated) {
      return nominated;
    }
    throw new AssertionError("not nominated: " + decision);
  }

  Decision.Unschedulable unschedulable() {
    Decision decision = decision();
    if (decision instanceof Decision.Unschedulable unschedulable) {
      return unschedulable;
    }
    throw new AssertionError("not unschedulable: " + decision);
  }

  /** Returns what was decided: the pod, the node and the victims, or the message. */
  static List<Object> describe(Decision decision) {
    return switch (decision) {
      case Decision.Nominated nominated ->
          List.of(nominated.pod(), nominated.nodeName(), nominated.victims());
      case Decision.Placed placed -> List.of(placed.pod(), placed.nodeName());
      default -> List.of(decision.pod(), decision.record().message());
    };
  }

  static PodRef ref(Pod pod) {
    return new PodRef(
        pod.getMetadata().getNamespace(), pod.getMetadata().getName(), pod.getMetadata().getUid());
  }

  static Node node(String name, String cpu) {
    return new NodeBuilder()
        .withNewMetadata()
        .withName(name)
        .withUid("uid-" + name)
        .withLabels(Map.of("kubernetes.io/hostname", name))
        .endMetadata()
        .withNewSpec()
        .endSpec()
        .withNewStatus()
        .withAllocatable(
            Map.of(
                "cpu",
                new Quantity(cpu),
                "memory",
                new Quantity("32Gi"),
                "pods",
                new Quantity("110")))
        .endStatus()
        .build();
  }

  /** Returns a pending pod for Berth. */
  static Pod pod(String name, String cpu, int priority) {
    return new PodBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace("team")
        .withUid("uid-" + name)
        .endMetadata()
        .withNewSpec()
        .withSchedulerName("berth")
        .withPriority(priority)
        .addNewContainer()
        .withName("c")
        .withImage("image")
        .withNewResources()
        .withRequests(Map.of("cpu", new Quantity(cpu)))
        .endResources()
        .endContainer()
        .endSpec()
        .withNewStatus()
        .withPhase("Pending")
        .endStatus()
        .build();
  }

  /** Returns the pod with a resource claim that it names. */
  static Pod withClaim(Pod pod, String claim) {
    return new PodBuilder(pod)
        .editSpec()
        .addNewResourceClaim()
        .withName(claim)
        .withResourceClaimName(claim)
        .endResourceClaim()
        .endSpec()
        .build();
  }

  static Pod bound(Pod pod, String nodeName) {
    return new PodBuilder(pod).editSpec().withNodeName(nodeName).endSpec().build();
  }
}
