package io.berth.demo.autoscaler;

import io.berth.crds.Annotations;
import io.berth.demo.invariant.EngineSources;
import io.berth.demo.invariant.FreshEngine;
import io.berth.engine.Engine;
import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineOptions;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Simulates where pods would be placed, with kube-scheduler's default rules, as autoscalers do:
 * they know nothing of policies, groups, and cards.
 */
final class Placement {
  private static final String SCHEDULER = "simulated";
  private static final String OURS = "sched.cloud.ctrip.com/"; // also of cards

  private final KubernetesClient client;

  /**
   * @param client used to build a feed; no requests are sent
   */
  Placement(KubernetesClient client) {
    this.client = client;
  }

  /**
   * Returns the nodes of the pods that would be placed, by the pods' names with namespaces.
   *
   * @param placed the pods on nodes
   * @param waiting the pods without nodes
   */
  Map<String, String> placedOf(
      Collection<Node> nodes, Collection<Pod> placed, Collection<Pod> waiting) {
    EngineSources sources = EngineSources.of(client, SCHEDULER);
    nodes.forEach(node -> sources.feed().put(CountedResources.in(node)));
    placed.forEach(pod -> sources.feed().put(CountedResources.in(known(pod))));
    waiting.forEach(pod -> sources.feed().put(CountedResources.in(asked(pod))));
    sources.beginTerm();
    Instant now = Instant.EPOCH;
    Engine engine = new Engine(EngineOptions.defaults().withSchedulerNames(Set.of(SCHEDULER)));
    sources.engineFeed().replay(event -> engine.apply(event, now));
    return FreshEngine.placements(engine, now).stream()
        .collect(
            Collectors.toUnmodifiableMap(
                decision -> decision.pod().toString(), Decision.Placed::nodeName, (a, b) -> a));
  }

  private static Pod known(Pod pod) {
    return new PodBuilder(pod).editMetadata().withAnnotations(foreign(pod)).endMetadata().build();
  }

  private static Pod asked(Pod pod) {
    return new PodBuilder(pod)
        .editMetadata()
        .withAnnotations(foreign(pod))
        .endMetadata()
        .editSpec()
        .withNodeName(null)
        .withSchedulerName(SCHEDULER)
        .withPriority(0)
        .withPreemptionPolicy("Never")
        .endSpec()
        .editStatus()
        .withNominatedNodeName(null)
        .endStatus()
        .build();
  }

  /**
   * Returns the annotations that autoscalers may know, and one by which the pod is in no group, in
   * whatever way it names one.
   */
  private static Map<String, String> foreign(Pod pod) {
    Map<String, String> annotations = new HashMap<>();
    if (pod.getMetadata().getAnnotations() != null) {
      annotations.putAll(pod.getMetadata().getAnnotations());
    }
    annotations.keySet().removeIf(name -> name.contains(OURS));
    annotations.put(Annotations.GROUP, "");
    return annotations;
  }
}
