package io.berth.demo.history;

import io.berth.demo.history.ClusterChange.ClaimChange;
import io.berth.demo.history.ClusterChange.NodeChange;
import io.berth.demo.history.ClusterChange.PodChange;
import io.fabric8.kubernetes.api.model.Quantity;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** A builder of histories in tests: one change after another, at seconds since the start. */
final class Histories {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private final List<ClusterChange> changes = new ArrayList<>();
  private final List<FaultSpan> faults = new ArrayList<>();
  private final List<TenantQueue> queues = new ArrayList<>();
  private final Map<String, PodState> pods = new HashMap<>();
  private long version = 100;
  private Instant now = START;

  static Instant second(double second) {
    return START.plusMillis(Math.round(second * 1000));
  }

  Histories at(double second) {
    now = second(second);
    return this;
  }

  /**
   * Adds a node with a number of CPUs and room for ten pods. Its pool is its name up to the dash.
   */
  Histories node(String name, String cpus) {
    return node(name, Map.of("cpu", cpus, "pods", "10"));
  }

  /** Gives a node with 4 CPUs this many cards, which may be fewer than its pods use. */
  Histories nodeWithCards(String name, String cards) {
    return node(name, Map.of("cpu", "4", "pods", "10", "cards", cards));
  }

  private Histories node(String name, Map<String, String> allocatable) {
    return change(
        new NodeChange(
            ++version,
            now,
            false,
            new NodeState(
                name, Map.of("pool", name.split("-", 2)[0]), amounts(allocatable), true)));
  }

  /** Creates or changes a claim, which has a device, and is reserved for a pod. */
  Histories claim(String name, String device, String user) {
    return change(
        new ClaimChange(
            ++version, now, false, new ClaimState("default", name, Set.of(device), Set.of(user))));
  }

  Histories deletedClaim(String name) {
    return change(
        new ClaimChange(++version, now, true, new ClaimState("default", name, Set.of(), Set.of())));
  }

  /** Lets a pod request cards only. */
  Histories onCards(String name, String cards) {
    return edit(
        name,
        pod ->
            new PodState(
                pod.uid(),
                pod.namespace(),
                pod.name(),
                pod.scheduler(),
                pod.priority(),
                amounts(Map.of("cards", cards, "pods", "1")),
                pod.nodeSelector(),
                pod.node(),
                pod.gated(),
                pod.leaving(),
                pod.finished(),
                pod.evictedBy(),
                pod.queue()));
  }

  private static Amounts amounts(Map<String, String> quantities) {
    return Amounts.of(
        quantities.entrySet().stream()
            .collect(Collectors.toMap(Map.Entry::getKey, each -> new Quantity(each.getValue()))));
  }

  Histories created(String name, String scheduler, int priority, String cpus) {
    return created(name, scheduler, priority, cpus, Optional.empty());
  }

  /** Creates a pod of the scheduler berth, with the priority 0, that names a queue. */
  Histories createdIn(String queue, String name, String cpus) {
    return created(name, "berth", 0, cpus, Optional.of(queue));
  }

  private Histories created(
      String name, String scheduler, int priority, String cpus, Optional<String> queue) {
    return put(
        new PodState(
            name,
            "default",
            name,
            scheduler,
            priority,
            Amounts.of(Map.of("cpu", new Quantity(cpus), "pods", new Quantity("1"))),
            Map.of(),
            Optional.empty(),
            false,
            false,
            false,
            Optional.empty(),
            queue));
  }

  /** Adds a queue that has this many CPUs guaranteed and as its limit; empty for none. */
  Histories queue(String name, String guaranteed, String limit) {
    queues.add(new TenantQueue(name, cpus(guaranteed), cpus(limit)));
    return this;
  }

  private static Amounts cpus(String cpus) {
    return cpus.isEmpty() ? Amounts.NONE : Amounts.of(Map.of("cpu", new Quantity(cpus)));
  }

  Histories inPool(String name, String pool) {
    return edit(name, pod -> copy(pod, Map.of("pool", pool), pod.node(), pod.leaving()));
  }

  Histories bound(String name, String node) {
    return edit(name, pod -> copy(pod, pod.nodeSelector(), Optional.of(node), pod.leaving()));
  }

  Histories unbound(String name) {
    return edit(name, pod -> copy(pod, pod.nodeSelector(), Optional.empty(), pod.leaving()));
  }

  Histories finished(String name) {
    return edit(
        name,
        pod -> copy(pod, pod.nodeSelector(), pod.node(), pod.leaving(), true, pod.evictedBy()));
  }

  Histories markedBy(String scheduler, String name) {
    return edit(
        name,
        pod ->
            copy(
                pod,
                pod.nodeSelector(),
                pod.node(),
                pod.leaving(),
                pod.finished(),
                Optional.of(scheduler)));
  }

  /** Starts the deletion of a pod, which exists until {@link #deleted}. */
  Histories leaving(String name) {
    return edit(name, pod -> copy(pod, pod.nodeSelector(), pod.node(), true));
  }

  Histories deleted(String name) {
    return change(new PodChange(++version, now, true, pods.get(name)));
  }

  Histories fault(double from, double to) {
    faults.add(new FaultSpan("fault", second(from), second(to)));
    return this;
  }

  History until(double second) {
    return new History(changes, faults, second(second), queues);
  }

  static HistoryCheck check() {
    return HistoryCheck.of(Set.of("berth", "second"), Duration.ofSeconds(60));
  }

  private Histories edit(String name, UnaryOperator<PodState> how) {
    return put(how.apply(pods.get(name)));
  }

  private Histories put(PodState pod) {
    pods.put(pod.name(), pod);
    return change(new PodChange(++version, now, false, pod));
  }

  private Histories change(ClusterChange change) {
    changes.add(change);
    return this;
  }

  private static PodState copy(
      PodState pod, Map<String, String> nodeSelector, Optional<String> node, boolean leaving) {
    return copy(pod, nodeSelector, node, leaving, pod.finished(), pod.evictedBy());
  }

  private static PodState copy(
      PodState pod,
      Map<String, String> nodeSelector,
      Optional<String> node,
      boolean leaving,
      boolean finished,
      Optional<String> evictedBy) {
    return new PodState(
        pod.uid(),
        pod.namespace(),
        pod.name(),
        pod.scheduler(),
        pod.priority(),
        pod.requests(),
        nodeSelector,
        node,
        pod.gated(),
        leaving,
        finished,
        evictedBy,
        pod.queue());
  }
}
