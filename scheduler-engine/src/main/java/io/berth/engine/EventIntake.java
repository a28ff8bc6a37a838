package io.berth.engine;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.GaugeReading;
import io.berth.engine.api.Refusal;
import io.berth.engine.cycle.Plans;
import io.berth.engine.devices.DeviceClaim;
import io.berth.engine.framework.Change;
import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.framework.GaugedScore;
import io.berth.engine.lifecycle.PendingGroups;
import io.berth.engine.lifecycle.PendingPods;
import io.berth.engine.lifecycle.PendingWork;
import io.berth.engine.lifecycle.PodIntake;
import io.berth.engine.model.DeviceObject;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.StorageObject;
import io.berth.engine.policy.PolicyTable;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.Gauge;
import io.berth.engine.state.NodeTable;
import io.berth.engine.state.PodEntry;
import io.berth.engine.volume.VolumeClaim;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Applies events: updates the state, and wakes the pending pods that an event may help. */
final class EventIntake {
  private final ClusterState state;
  private final PolicyTable policies;
  private final Plans plans;
  private final PendingPods pending;
  private final PendingGroups groups;
  private final PodIntake podEvents;
  private final Set<String> schedulerNames;

  EventIntake(
      ClusterState state,
      PolicyTable policies,
      Plans plans,
      PendingWork work,
      PodIntake podEvents,
      Set<String> schedulerNames) {
    this.state = state;
    this.policies = policies;
    this.plans = plans;
    this.pending = work.pods();
    this.groups = work.groups();
    this.podEvents = podEvents;
    this.schedulerNames = schedulerNames;
  }

  /**
   * Applies an event.
   *
   * @return the reason if the object was refused; a refused object changes nothing
   */
  Optional<Refusal> take(ClusterEvent event, Instant now) {
    switch (event) {
      case ClusterEvent.PodUpserted upserted -> {
        podEvents.upserted(upserted.pod(), now);
        return upserted.partly();
      }
      case ClusterEvent.PodRemoved removed -> podEvents.removed(removed.pod(), now);
      case ClusterEvent.NodeUpserted upserted -> {
        putNode(upserted.node(), now);
        return upserted.partly();
      }
      case ClusterEvent.NodeRemoved removed -> removeNode(removed.name(), now);
      case ClusterEvent.NamespaceUpserted namespace -> {
        Map<String, String> before = state.namespaces().labelsOf(namespace.name());
        if (state.putNamespace(namespace.name(), namespace.labels())) {
          namespaceChanged(namespace.name(), before, now);
        }
      }
      case ClusterEvent.NamespaceRemoved namespace -> {
        Map<String, String> before = state.namespaces().labelsOf(namespace.name());
        if (state.removeNamespace(namespace.name())) {
          namespaceChanged(namespace.name(), before, now);
        }
      }
      case ClusterEvent.WorkloadSelectorUpserted upserted -> {
        if (state.workloadSelectors().put(upserted.selector())) {
          wake(new Change.WorkloadSelectorChanged(upserted.selector().namespace()), now);
        }
      }
      case ClusterEvent.WorkloadSelectorRemoved removed -> {
        if (state.workloadSelectors().remove(removed.kind(), removed.namespace(), removed.name())) {
          wake(new Change.WorkloadSelectorChanged(removed.namespace()), now);
        }
      }
      case ClusterEvent.GroupDialectServed served -> groups.served(served.dialect(), now);
      case ClusterEvent.PodGroupUpserted upserted -> groups.described(upserted.group(), now);
      case ClusterEvent.PodGroupRemoved removed -> groups.undescribed(removed.group(), now);
      case ClusterEvent.BudgetUpserted upserted -> state.budgets().put(upserted.budget());
      case ClusterEvent.BudgetRemoved removed ->
          state.budgets().remove(removed.namespace(), removed.name());
      case ClusterEvent.PriorityClassUpserted upserted -> {
        String name = upserted.priorityClass().name();
        Optional<Integer> before = state.priorityClasses().valueOf(name);
        if (state.priorityClasses().put(upserted.priorityClass())) {
          wake(new Change.PriorityClassChanged(name), now);
        }
        if (!before.equals(state.priorityClasses().valueOf(name))) {
          groups.classChanged(name, now);
        }
        return upserted.partly();
      }
      case ClusterEvent.PriorityClassRemoved removed -> {
        if (state.priorityClasses().remove(removed.name())) {
          wake(new Change.PriorityClassChanged(removed.name()), now);
        }
        groups.classChanged(removed.name(), now);
      }
      case ClusterEvent.QueueUpserted upserted -> {
        if (pending.quotas().put(upserted.queue())) {
          pending.queuesChanged(now);
        }
        return upserted.partly();
      }
      case ClusterEvent.QueueRemoved removed -> {
        if (pending.quotas().remove(removed.name())) {
          pending.queuesChanged(now);
        }
      }
      case ClusterEvent.QueueDialectServed served -> {
        if (pending.quotas().serve(served.dialect())) {
          pending.queuesChanged(now);
        }
      }
      case ClusterEvent.StorageUpserted upserted -> {
        if (state.storage().put(upserted.object(), upserted.version())) {
          storageChanged(upserted.object(), now);
        }
      }
      case ClusterEvent.StorageRemoved removed -> {
        Optional<StorageObject> before =
            state.storage().find(removed.kind(), removed.namespace(), removed.name());
        if (state.storage().remove(removed.kind(), removed.namespace(), removed.name())) {
          before.ifPresent(object -> storageChanged(object, now));
        }
      }
      case ClusterEvent.DevicesServed served -> {
        if (state.devices().served()) {
          wake(Change.DevicesChanged.released(), now);
        }
      }
      case ClusterEvent.DevicesUpserted upserted -> putDevices(upserted.object(), now);
      case ClusterEvent.DevicesRemoved removed ->
          state
              .deviceObjects()
              .remove(removed.kind(), removed.namespace(), removed.name())
              .ifPresent(before -> devicesChanged(new Change.DevicesChanged(before, null), now));
      case ClusterEvent.PolicyServed served -> {
        acquireGauges(served.policy());
        served.canary().ifPresent(canary -> acquireGauges(canary.policy()));
        policies.serve(served.policy(), served.canary()).forEach(this::ended);
        policyChanged(served.policy().name(), now);
      }
      case ClusterEvent.PolicyRemoved removed -> {
        policies.remove(removed.name()).forEach(this::ended);
        // Pods that wait for resources are retried, so that their messages are current.
        policyChanged(removed.name(), now);
      }
      case ClusterEvent.GaugeSeeded seeded -> {
        for (GaugedScore score : policies.gaugedScores(seeded.policy())) {
          if (score.name().equals(seeded.plugin())) {
            state
                .gauges()
                .find(score)
                .ifPresent(gauge -> gauge.seed(seeded.scope(), seeded.mode()));
          }
        }
      }
      case ClusterEvent.UsageReported reported ->
          reported.nodes().forEach(usage -> state.usages().take(usage, now));
      case ClusterEvent.DefaultPolicyChanged changed -> {
        policies.setDefault(changed.name());
        policyChanged(changed.name(), now);
      }
      case ClusterEvent.ServerVersionSeen seen -> {
        if (state.storage().scoreCapacity(seen.scoresStorage())) {
          policies.renew().forEach(this::replaced);
        }
      }
      case ClusterEvent.PodAssumed assumed -> podEvents.assumed(assumed, now);
      case ClusterEvent.BindingConfirmed confirmed ->
          podEvents.bindingConfirmed(confirmed.pod(), now);
      case ClusterEvent.BindingFailed failed ->
          podEvents.bindingFailed(failed.pod(), failed.retry(), now);
      case ClusterEvent.EvictionFailed failed -> podEvents.evictionFailed(failed.victim(), now);
      case ClusterEvent.Advised advised ->
          pending.consultations().answer(advised.pod(), advised.token(), advised.advice());
      case ClusterEvent.Malformed malformed -> {
        return Optional.of(refuse(malformed, now));
      }
      case ClusterEvent.Ignored ignored -> {
        return Optional.empty();
      }
    }
    return Optional.empty();
  }

  private void namespaceChanged(String name, Map<String, String> before, Instant now) {
    if (pending.quotas().namespaceChanged(name, before, state.namespaces().labelsOf(name))) {
      pending.queuesChanged(now);
    }
    wake(new Change.NamespaceChanged(name), now);
  }

  private Refusal refuse(ClusterEvent.Malformed malformed, Instant now) {
    Refusal refusal = malformed.refusal();
    if (malformed.unreadable().isEmpty()) {
      if (refusal.kind().equals("Node")) {
        state.putUnreadableNode(refusal.name(), refusal.reason());
      }
      return refusal;
    }
    ClusterEvent.UnreadablePod pod = malformed.unreadable().get();
    if (!pod.nodeName().isEmpty()) {
      podEvents.unreadable(pod.pod(), pod.nodeName(), now);
      return refusal;
    }
    return schedulerNames.contains(pod.schedulerName()) ? refusal.ofPending(pod.pod()) : refusal;
  }

  private void acquireGauges(CompiledPolicy policy) {
    policy.gaugedScores().forEach(score -> acquireGauge(score, policy));
  }

  /**
   * Starts to use the gauge of a score. If the score's arguments changed, its new gauge continues
   * with the modes of the previous one.
   */
  private void acquireGauge(GaugedScore score, CompiledPolicy policy) {
    state
        .gauges()
        .acquire(
            score,
            () -> {
              Gauge gauge = score.newGauge(state);
              readings(policy.name())
                  .filter(before -> before.plugin().equals(score.name()))
                  .map(GaugeReading::reading)
                  .forEach(before -> gauge.seed(before.scope(), before.mode()));
              return gauge;
            });
  }

  /** Handles the end of a policy revision. */
  private void ended(PolicyTable.Served before) {
    replaced(before);
    before.policy().gaugedScores().forEach(state.gauges()::release);
  }

  private void replaced(PolicyTable.Served before) {
    plans.forget(before.serial());
    pending.consultations().ended(before.serial());
  }

  private void putNode(NodeModel node, Instant now) {
    NodeModel before = state.putNode(node);
    plans.nodesChanged();
    if (before == null) {
      // Pods that existed before their node are counted from now on.
      podsOn(node.name()).forEach(pod -> wake(new Change.PodPlaced(pod), now));
    }
    if (before != null
        && ((node.unschedulable() && !before.unschedulable())
            || !before.taints().containsAll(node.taints()))) {
      podEvents.nodeWorsened(node, now);
    }
    if (before != null) {
      podEvents.nodeChanged(before, node, state.nodes().slotOf(node.name()));
    }
    if (before == null
        || node.unschedulable() != before.unschedulable()
        || !node.allocatable().equals(before.allocatable())
        || !node.cards().equals(before.cards())) {
      pending.quotas().nodesChanged();
    }
    if (!node.equals(before)) {
      wake(new Change.NodeChanged(before, node, state.nodes().slotOf(node.name())), now);
    }
  }

  private void storageChanged(StorageObject object, Instant now) {
    Change change = new Change.StorageChanged(object);
    wake(change, now);
    if (object instanceof VolumeClaim claim) {
      // Pods with equal claims share answers, but this event is about one claim.
      for (PodEntry pod :
          state.podClaims().usersOf(VolumeClaim.KIND, claim.namespace(), claim.name())) {
        pending.queue().wake(pod.key(), change, now);
      }
    }
  }

  private void putDevices(DeviceObject object, Instant now) {
    DeviceObject before =
        state.devices().find(object.kind(), object.namespace(), object.name()).orElse(null);
    if (state.deviceObjects().put(object)) {
      devicesChanged(new Change.DevicesChanged(before, object), now);
    }
  }

  private void devicesChanged(Change.DevicesChanged change, Instant now) {
    List<PodEntry> users = usersOf(change);
    pending.quotas().claimChanged(users);
    wake(change, now);
    if (change.after() instanceof DeviceClaim) {
      // Pods with equal claims share answers, but this event is about one claim.
      users.forEach(pod -> pending.queue().wake(pod.key(), change, now));
    }
  }

  private List<PodEntry> usersOf(Change.DevicesChanged change) {
    DeviceObject object = change.after() == null ? change.before() : change.after();
    return object instanceof DeviceClaim claim
        ? state.podClaims().usersOf(DeviceClaim.KIND, claim.namespace(), claim.name())
        : List.of();
  }

  private void removeNode(String name, Instant now) {
    List<PodModel> pods = podsOn(name);
    int slot = state.nodes().slotOf(name);
    NodeModel before = state.removeNode(name);
    plans.nodesChanged();
    if (before != null) {
      pending.quotas().nodesChanged();
      podEvents.nodeGone(name, slot, now);
      // Report the resources of these pods as released now: removing the pods later wakes no pod.
      pods.forEach(pod -> wake(new Change.PodGone(pod), now));
      wake(new Change.NodeGone(before), now);
    }
  }

  private List<PodModel> podsOn(String nodeName) {
    NodeTable nodes = state.nodes();
    int slot = nodes.slotOf(nodeName);
    List<PodModel> pods = new ArrayList<>();
    for (int i = 0; slot >= 0 && i < nodes.podCount(slot); i++) {
      pods.add(nodes.pod(slot, i).model());
    }
    return pods;
  }

  private void policyChanged(String name, Instant now) {
    state.cards().rulesChanged();
    wake(new Change.PolicyChanged(name), now);
  }

  private void wake(Change change, Instant now) {
    pending.queue().wake(change, now);
  }

  /** Returns the gauge readings of a policy. */
  Stream<GaugeReading> readings(String policy) {
    return policies.gaugedScores(policy).stream()
        .flatMap(
            score ->
                state.gauges().find(score).stream()
                    .flatMap(gauge -> gauge.readings().stream())
                    .map(reading -> new GaugeReading(policy, score.name(), reading)));
  }
}
