package io.berth.demo.invariant;

import io.berth.engine.Engine;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.WaitingUnit;
import io.berth.engine.api.WaitingUnit.Place;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import io.berth.engine.quota.Quotas;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Pods that wait in an engine for something that does not come. This can be judged at any time,
 * whatever other pods are doing, because it compares the engine with what it was fed:
 *
 * <ul>
 *   <li>a pod waits for an event, although a new engine that is fed the same places it;
 *   <li>an attempt is in progress, although no Binding of its pods is in flight;
 *   <li>a pod waits for room on a node that is closed.
 * </ul>
 */
public final class VainWaits {
  private final String scheduler;
  private final Predicate<PodModel> judged;
  private final Engine living;
  private final Instant now;
  private final List<ClusterEvent> fed;
  private final List<WaitingUnit> units;
  private final Map<PodRef, PodModel> pods = new HashMap<>();
  private final Map<String, NodeModel> nodes = new HashMap<>();
  private final Set<PodRef> assumed = new HashSet<>();

  /**
   * @param scheduler the name of the scheduler of the pods
   * @param judged the pods whose decisions depend on nothing but what engines are fed
   * @param living an engine that has processed all events that it was fed, and is idle
   * @param fed what an engine is fed that begins now
   */
  public VainWaits(
      String scheduler,
      Predicate<PodModel> judged,
      Engine living,
      List<ClusterEvent> fed,
      Instant now) {
    this.scheduler = scheduler;
    this.judged = judged;
    this.living = living;
    this.now = now;
    this.fed = List.copyOf(fed);
    this.units = living.waitingUnits();
    for (ClusterEvent event : fed) {
      switch (event) {
        case ClusterEvent.PodUpserted upserted -> pods.put(upserted.pod().ref(), upserted.pod());
        case ClusterEvent.PodAssumed placed -> assumed.add(placed.pod());
        case ClusterEvent.NodeUpserted upserted ->
            nodes.put(upserted.node().name(), upserted.node());
        default -> {} // says nothing about pods and nodes
      }
    }
  }

  /** Returns the pods that wait in vain, and why, while no Binding awaits its answer. */
  public List<String> find() {
    List<String> found = new ArrayList<>();
    lostWakeUps(found);
    closedNodes(found);
    endlessAttempts(found);
    return found;
  }

  /**
   * Returns the pods that wait in vain while the engine may have decided about others. Those that
   * it has not handed over yet hold resources that a new engine takes for free.
   */
  public List<String> findBesideDecided() {
    List<String> found = new ArrayList<>();
    boolean handedOver =
        units.stream()
            .filter(unit -> unit.place() == Place.IN_FLIGHT)
            .flatMap(unit -> unit.pods().stream())
            .allMatch(assumed::contains);
    if (handedOver) {
      lostWakeUps(found);
    }
    closedNodes(found);
    return found;
  }

  /**
   * Judges nothing while resources are reserved for pods in a way that a new engine cannot know.
   */
  private void lostWakeUps(List<String> found) {
    Map<PodRef, WaitingUnit> parked = new HashMap<>();
    Set<PodRef> busy = new HashSet<>();
    for (WaitingUnit unit : units) {
      for (PodRef pod : unit.pods()) {
        if (unit.place() == Place.UNSCHEDULABLE) {
          parked.put(pod, unit);
        } else if (!assumed.contains(pod)) {
          busy.add(pod);
        }
      }
    }
    if (parked.isEmpty() || living.isReservedForGroup()) {
      return;
    }
    Engine fresh = new Engine(FreshEngine.options(scheduler));
    fed.stream()
        .filter(event -> isDelivered(event, busy))
        .forEach(event -> fresh.apply(event, now));
    if (!FreshEngine.agreeOnNominations(living, fresh)) {
      return;
    }
    List<Decision.Placed> placements = FreshEngine.placements(fresh, now);
    if (!FreshEngine.agreeOnNominations(living, fresh)) {
      return; // only the living engine knows which evictions were denied, and waits for others
    }
    placements.stream()
        .filter(placed -> parked.containsKey(placed.pod()))
        .filter(placed -> busy.isEmpty() || !isHeldByQueue(parked.get(placed.pod())))
        .map(
            placed ->
                "pod %s waits for an event, rejected by %s, although a new engine places it on %s"
                    .formatted(
                        placed.pod(), parked.get(placed.pod()).rejectedBy(), placed.nodeName()))
        .forEach(found::add);
  }

  /**
   * Returns whether a queue's limit holds the unit: as many units are woken as the limit has room
   * for, so the others wait for an event while those have a turn ahead.
   */
  private static boolean isHeldByQueue(WaitingUnit unit) {
    return unit.rejectedBy().contains(Quotas.PLUGIN);
  }

  /**
   * Returns whether to tell the new engine of an object: of all but pods that have a turn ahead,
   * and pods that are not judged and hold no resources.
   */
  private boolean isDelivered(ClusterEvent event, Set<PodRef> busy) {
    if (!(event instanceof ClusterEvent.PodUpserted upserted)
        || !upserted.pod().nodeName().isEmpty()) {
      return true;
    }
    PodRef pod = upserted.pod().ref();
    return assumed.contains(pod)
        || living.nominatedNode(pod).isPresent()
        || (judged.test(upserted.pod()) && !busy.contains(pod));
  }

  private void endlessAttempts(List<String> found) {
    Set<String> inFlight = new HashSet<>();
    for (PodRef pod : assumed) {
      inFlight.add(pod.toString());
      Optional.ofNullable(pods.get(pod))
          .flatMap(PodModel::group)
          .ifPresent(group -> inFlight.add(group.group().toString()));
    }
    units.stream()
        .filter(unit -> unit.place() == Place.IN_FLIGHT && !inFlight.contains(unit.name()))
        .filter(unit -> unit.pods().stream().allMatch(this::isJudged))
        .map(unit -> unit.name() + " is in an attempt, although no Binding of it is in flight")
        .forEach(found::add);
  }

  private boolean isJudged(PodRef pod) {
    return Optional.ofNullable(pods.get(pod)).filter(judged).isPresent();
  }

  private void closedNodes(List<String> found) {
    for (WaitingUnit unit : units) {
      for (PodRef pod : unit.pods()) {
        living
            .nominatedNode(pod)
            .filter(node -> !isOpen(nodes.get(node)))
            .ifPresent(
                node ->
                    found.add("pod %s waits for room on %s, which is closed".formatted(pod, node)));
      }
    }
  }

  private static boolean isOpen(@Nullable NodeModel node) {
    return node != null && !node.unschedulable() && node.taints().isEmpty();
  }
}
