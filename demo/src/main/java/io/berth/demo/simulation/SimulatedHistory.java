package io.berth.demo.simulation;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.demo.history.ClusterChange;
import io.berth.demo.history.History;
import io.berth.demo.history.HistoryCheck;
import io.berth.demo.history.ObservedStates;
import io.berth.demo.history.Violation;
import io.berth.demo.invariant.DeviceUse;
import io.berth.demo.simulation.ApiStore.Change;
import io.berth.demo.tenants.ObjectKey;
import io.berth.demo.tenants.Tenants;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The history of pods, nodes, and claims since the last check, for the rules of {@code make
 * history}.
 */
final class SimulatedHistory {
  /**
   * The longest fault, and the time for which a Binding is tried again after it: a node may change
   * meanwhile.
   */
  private static final Duration STALENESS = Duration.ofSeconds(60);

  private static final HistoryCheck CHECK =
      HistoryCheck.ofBindings(Set.of(Tenants.SCHEDULER), STALENESS);

  private final VirtualTime time;
  private final ApiStore store;
  private final ObservedStates states = new ObservedStates("", Set.of(Tenants.EXTENDED_RESOURCE));
  private final KubernetesSerialization serialization = new KubernetesSerialization();
  private final List<ClusterChange> changes = new ArrayList<>();

  /** True if there was a queue of tenants since the last check. */
  private boolean hadQueues;

  /** UIDs of victims whose eviction was judged, or denied by the API server. */
  private final Set<String> judgedBefore = new HashSet<>();

  SimulatedHistory(VirtualTime time, ApiStore store) {
    this.time = time;
    this.store = store;
    store.listen(this::changed);
  }

  /**
   * Records that the API server has denied an eviction. The pod keeps the condition that announces
   * it, but if it leaves later, that is for another reason.
   */
  void evictionDenied(String uid) {
    judgedBefore.add(uid);
  }

  /** Returns what violates the rules, and begins a new history with the present objects. */
  List<Violation> check() {
    List<ClusterChange> judged = changes.stream().map(this::withoutOldEviction).toList();
    HistoryCheck check = hadQueues ? CHECK.withQueues() : CHECK;
    List<Violation> violations = check.violations(new History(judged, List.of(), time.instant()));
    changes.clear();
    hadQueues = false;
    judged.stream()
        .filter(ClusterChange.PodChange.class::isInstance)
        .map(change -> ((ClusterChange.PodChange) change).pod())
        .filter(pod -> pod.evictedBy().isPresent())
        .forEach(pod -> judgedBefore.add(pod.uid())); // it may still be terminating
    for (ObjectNode object : store.all()) {
      changed(new Change(ObjectKey.of(object), object, false));
    }
    return violations;
  }

  private ClusterChange withoutOldEviction(ClusterChange change) {
    return change instanceof ClusterChange.PodChange seen && judgedBefore.contains(seen.pod().uid())
        ? new ClusterChange.PodChange(
            seen.version(), seen.at(), seen.deleted(), seen.pod().withoutEviction())
        : change;
  }

  private void changed(Change change) {
    ObjectNode object = change.object();
    long version = object.at("/metadata/resourceVersion").asLong();
    switch (change.key().kind()) {
      case "Pod" ->
          changes.add(
              new ClusterChange.PodChange(
                  version,
                  time.instant(),
                  change.deleted(),
                  states.of(serialization.convertValue(object, Pod.class))));
      case "Node" ->
          changes.add(
              new ClusterChange.NodeChange(
                  version,
                  time.instant(),
                  change.deleted(),
                  states.of(serialization.convertValue(object, Node.class))));
      case DeviceUse.CLAIM ->
          changes.add(
              new ClusterChange.ClaimChange(
                  version,
                  time.instant(),
                  change.deleted(),
                  ObservedStates.of(serialization.convertValue(object, ResourceClaim.class))));
      case "SchedulingQueue" -> hadQueues = true;
      default -> {} // no rule is about others
    }
  }
}
