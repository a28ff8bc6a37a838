package io.berth.demo.invariant;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.NodeSchedulerConfig;
import io.berth.crds.PodSchedulerConfig;
import io.berth.crds.SchedulerConfigBinding;
import io.berth.crds.SchedulingPolicy;
import io.berth.crds.SchedulingQueue;
import io.berth.demo.tenants.KubeObjects;
import io.berth.demo.tenants.LicenseExtender;
import io.berth.demo.tenants.ObjectKey;
import io.berth.engine.Engine;
import io.berth.engine.api.Advice;
import io.berth.engine.api.AdviceRequest;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.api.Idle;
import io.berth.engine.api.Outcome;
import io.berth.engine.api.QueueState;
import io.berth.engine.decision.PreemptionCandidate;
import io.berth.engine.model.PodRef;
import io.berth.engine.time.Due;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.ReplicaSet;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClass;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A new engine with the objects of a cluster, as after a restart. */
public final class FreshEngine {
  /** The kinds that the feed takes. */
  public static final Map<String, Class<? extends HasMetadata>> KINDS =
      Map.ofEntries(
          Map.entry("Pod", Pod.class),
          Map.entry("PodGroup", GenericKubernetesResource.class),
          Map.entry("PodDisruptionBudget", PodDisruptionBudget.class),
          Map.entry("NodeSchedulerConfig", NodeSchedulerConfig.class),
          Map.entry("PodSchedulerConfig", PodSchedulerConfig.class),
          Map.entry("SchedulerConfigBinding", SchedulerConfigBinding.class),
          Map.entry("Node", Node.class),
          Map.entry("Namespace", Namespace.class),
          Map.entry("SchedulingPolicy", SchedulingPolicy.class),
          Map.entry("SchedulingQueue", SchedulingQueue.class),
          Map.entry("ReplicaSet", ReplicaSet.class),
          Map.entry("ResourceSlice", ResourceSlice.class),
          Map.entry("DeviceClass", DeviceClass.class),
          Map.entry("ResourceClaim", ResourceClaim.class));

  private static final int MOST_DECISIONS = 20_000;

  /**
   * Words in the conditions of pods for which a living engine evicts no others, because of what it
   * did before: evictions that were in vain, or that have reached a limit.
   */
  private static final List<String> KNOWN_ONLY_THERE =
      List.of("No more are evicted for it until", "Evictions are limited to");

  private final List<ObjectNode> objects;
  private final Engine engine;
  private final Instant now;

  /**
   * @param client used to build a feed; no requests are sent
   * @param objects all objects of {@link #KINDS}, and the stored revisions of policies
   */
  public FreshEngine(
      KubernetesClient client, List<ObjectNode> objects, String scheduler, Instant now) {
    this.now = now;
    this.objects = List.copyOf(objects);
    KubernetesSerialization serialization = new KubernetesSerialization();
    EngineSources sources = EngineSources.of(client, scheduler);
    for (ObjectNode object : objects) {
      Optional.ofNullable(KINDS.get(ObjectKey.of(object).kind()))
          .ifPresent(kind -> sources.feed().put(serialization.convertValue(object, kind)));
    }
    sources.beginTerm(EngineSources.stored(objects));
    engine = new Engine(options(scheduler));
    sources.engineFeed().replay(event -> engine.apply(event, now));
  }

  /** Returns the options of engines that can be compared. */
  public static EngineOptions options(String scheduler) {
    return EngineOptions.defaults()
        .withSchedulerNames(Set.of(scheduler))
        .withTieOrder(EngineOptions.TieOrder.BY_NAME);
  }

  /** Returns the engine itself. */
  Engine engine() {
    return engine;
  }

  /**
   * Returns the queues of tenants that it counts differently from an engine in which nothing
   * happens any more. Call it before it decides about pods.
   */
  public List<String> countsDifferently(Engine living) {
    Map<String, QueueState> expected = byName(engine);
    Map<String, QueueState> counted = byName(living);
    if (!agreeOnNominations(living, engine)) {
      return List.of(); // nominations count as use, and a new engine may not know them all
    }
    List<String> different = new ArrayList<>();
    if (!expected.keySet().equals(counted.keySet())) {
      different.add(
          "a new engine has the queues %s, and the engine has %s"
              .formatted(expected.keySet(), counted.keySet()));
    }
    expected.forEach(
        (name, queue) -> {
          QueueState other = counted.get(name);
          if (other != null
              && (queue.pods() != other.pods()
                  || !queue.used().equals(other.used())
                  || !queue.borrowed().equals(other.borrowed()))) {
            different.add(
                "queue %s has %d pods that use %s in a new engine, and %d that use %s in the engine"
                    .formatted(name, queue.pods(), queue.used(), other.pods(), other.used()));
          }
        });
    return different;
  }

  private static Map<String, QueueState> byName(Engine of) {
    return of.queues().stream()
        .collect(Collectors.toMap(QueueState::name, state -> state, (a, b) -> a, TreeMap::new));
  }

  /** Returns the pods that it places, although they wait in the cluster. */
  public List<String> places() {
    return placements(engine, now).stream().map(this::waits).toList();
  }

  /**
   * Returns the pods that it places, or for which it first evicts others, although they wait in a
   * cluster in which nothing happens any more. Pods may wait for which the living engine evicts no
   * others because of what it did before: a new engine does not know that.
   *
   * @param living the engine of the cluster
   */
  public List<String> placesOrEvicts(Engine living) {
    boolean agree = agreeOnNominations(living, engine);
    List<String> wrong = new ArrayList<>();
    List<Decision.Nominated> evictions = new ArrayList<>();
    for (Decision decision : decisions(engine, now)) {
      if (decision instanceof Decision.Placed placed) {
        wrong.add(waits(placed));
      } else if (decision instanceof Decision.Nominated nominated
          && !nominated.victims().isEmpty()) {
        evictions.add(nominated);
      }
    }
    if (agree && wrong.isEmpty() && !evictions.isEmpty()) {
      Decision.Nominated first = evictions.getFirst(); // those after it depend on it
      String reason = reason(first.pod());
      if (KNOWN_ONLY_THERE.stream().noneMatch(reason::contains)) {
        wrong.add(
            "pod %s waits, although a new engine evicts %s for it%s"
                .formatted(first.pod(), first.victims(), reason));
      }
    }
    return wrong;
  }

  private String waits(Decision.Placed placed) {
    return "pod %s waits, although a new engine places it on %s%s"
        .formatted(placed.pod(), placed.nodeName(), reason(placed.pod()));
  }

  /**
   * Lets an engine decide about all pods that it may try now, and returns those that it places.
   *
   * @throws IllegalStateException if it does not come to rest
   */
  public static List<Decision.Placed> placements(Engine engine, Instant now) {
    return decisions(engine, now).stream()
        .filter(Decision.Placed.class::isInstance)
        .map(Decision.Placed.class::cast)
        .toList();
  }

  private static List<Decision> decisions(Engine engine, Instant now) {
    List<Decision> decisions = new ArrayList<>();
    for (int i = 0; i < MOST_DECISIONS; i++) {
      Outcome outcome = engine.next(now);
      if (isAtRest(outcome)) {
        return decisions;
      }
      if (outcome instanceof AdviceRequest asked) {
        engine.apply(new ClusterEvent.Advised(asked.pod(), asked.token(), advice(asked)), now);
      }
      if (outcome instanceof Decision decision) {
        decisions.add(decision);
      }
    }
    throw new IllegalStateException("a new engine does not come to rest");
  }

  /** Returns whether an engine has nothing to do before time passes, or something changes. */
  static boolean isAtRest(Outcome outcome) {
    return outcome instanceof Idle(Due until) && !until.equals(Due.AT_ONCE);
  }

  /** Returns whether two engines reserve resources of the same nodes for the same waiting pods. */
  static boolean agreeOnNominations(Engine a, Engine b) {
    return Stream.concat(a.waitingUnits().stream(), b.waitingUnits().stream())
        .flatMap(unit -> unit.pods().stream())
        .allMatch(pod -> a.nominatedNode(pod).equals(b.nominatedNode(pod)));
  }

  /** Returns the advice of the tenants' extender about nodes, without its scores. */
  private static Advice advice(AdviceRequest asked) {
    return switch (asked.question()) {
      case AdviceRequest.OfNodes(List<String> names) ->
          new Advice.Nodes(
              Optional.of(
                  names.stream().filter(LicenseExtender::accepts).collect(Collectors.toSet())),
              Map.of(),
              List.of(),
              List.of());
      case AdviceRequest.OfVictims(List<PreemptionCandidate> candidates) ->
          new Advice.Victims(candidates, List.of());
    };
  }

  /** Returns the reason for which a pod waits according to its condition. */
  private String reason(PodRef pod) {
    return objects.stream()
        .filter(object -> object.at("/metadata/uid").asText().equals(pod.uid()))
        .map(object -> KubeObjects.condition(object, "PodScheduled"))
        .filter(Objects::nonNull)
        .map(condition -> "; its condition says: " + condition.path("message").asText())
        .findFirst()
        .orElse("");
  }
}
