package io.berth.engine.lifecycle;

import io.berth.engine.decision.BoundedText;
import io.berth.engine.framework.Change;
import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.framework.FilterPlugin;
import io.berth.engine.framework.PodShape;
import io.berth.engine.policy.PolicyTable;
import io.berth.engine.preemption.AwaitedVictims;
import io.berth.engine.queue.QueueRules;
import io.berth.engine.quota.Quotas;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.GroupEntry;
import io.berth.engine.state.PodEntry;
import io.berth.engine.state.SchedulingUnit;
import io.berth.engine.state.SharedSpec;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The rules of the queue: which units are closed or alike, and which changes may help them. */
final class WakeRules implements QueueRules<SchedulingUnit, Change> {
  private record Kind(String policy, SharedSpec spec, Object queue) {}

  private final ClusterState state;
  private final PolicyTable policies;
  private final AwaitedVictims awaited;
  private final Quotas quotas;
  private final AssumedPods assumed;

  WakeRules(
      ClusterState state,
      PolicyTable policies,
      AwaitedVictims awaited,
      Quotas quotas,
      AssumedPods assumed) {
    this.state = state;
    this.policies = policies;
    this.awaited = awaited;
    this.quotas = quotas;
    this.assumed = assumed;
  }

  @Override
  public boolean isPlaced(String uid) {
    return assumed.isPlaced(uid);
  }

  @Override
  public Optional<String> gatedBy(SchedulingUnit unit) {
    return switch (unit) {
      case PodEntry pod -> {
        List<String> gates = pod.model().gates();
        yield gates.isEmpty()
            ? Optional.empty()
            : Optional.of("waits for its scheduling gates: " + BoundedText.list(gates));
      }
      case GroupEntry group -> group.gatedBy();
    };
  }

  @Override
  public boolean alwaysPauses(SchedulingUnit unit) {
    return unit instanceof GroupEntry;
  }

  @Override
  public String labelOf(Change change) {
    return change.label();
  }

  @Override
  public Object shapeOf(SchedulingUnit unit) {
    // The first removed victim does not wake its preemptor, but it does wake similar units.
    if (awaited.isWaiting(unit.key())) {
      return unit.key();
    }
    return switch (unit) {
      case PodEntry pod ->
          new Kind(
              pod.model().policy(), state.podClaims().described(pod.shared()), quotas.queueOf(pod));
      case GroupEntry group -> {
        Set<Kind> kinds = new HashSet<>();
        PodEntry last = null;
        for (PodEntry pod : group.waiting()) {
          // Most groups have members of only one kind.
          if (last == null
              || pod.shared() != last.shared()
              || !pod.model().policy().equals(last.model().policy())) {
            kinds.add(kindOf(pod));
          }
          last = pod;
        }
        yield kinds;
      }
    };
  }

  private Kind kindOf(PodEntry pod) {
    return new Kind(pod.model().policy(), pod.shared(), quotas.queueOf(pod));
  }

  @Override
  public boolean concerns(String plugin, Change change) {
    if (change instanceof Change.PolicyChanged || change instanceof Change.PriorityClassChanged) {
      return true;
    }
    Optional<OwnRule> rule = OwnRule.labelled(plugin);
    if (rule.isPresent()) {
      return concerns(rule.get(), change);
    }
    return !(change instanceof Change.TurnGivenUp)
        && policies
            .filterNamed(plugin)
            .map(filter -> filter.cureBy(change).mayCureAny())
            .orElse(true);
  }

  private boolean concerns(OwnRule rule, Change change) {
    return switch (rule) {
      case POLICY -> false;
      case NAMESPACE -> change instanceof Change.NamespaceChanged;
      case NODES, GROUP -> change instanceof Change.NodeChanged;
      case QUEUE, NODE_REQUESTS -> concernsQueues(change);
    };
  }

  private boolean concernsQueues(Change change) {
    return (change instanceof Change.DevicesChanged && quotas.countDevices())
        || change instanceof Change.PodGone
        || change instanceof Change.PodChanged
        || change instanceof Change.TurnGivenUp
        || change instanceof Change.QueuesChanged;
  }

  @Override
  public int mostHelped(SchedulingUnit unit, String plugin, Change change) {
    if (change instanceof Change.QueuesChanged) {
      return Integer.MAX_VALUE;
    }
    return OwnRule.labelled(plugin)
        .map(
            rule ->
                switch (rule) {
                  case QUEUE -> quotas.roomFor(unit);
                  case NODE_REQUESTS -> quotas.roomForNodeRequests(unit);
                  case POLICY, NAMESPACE, NODES, GROUP -> Integer.MAX_VALUE;
                })
        .orElse(Integer.MAX_VALUE);
  }

  @Override
  public long needOf(SchedulingUnit unit, String plugin) {
    // A unit that waits for victims is tried when the last victim is gone, regardless of other
    // needs.
    if (!(unit instanceof PodEntry pod) || awaited.isWaiting(unit.key())) {
      return Long.MIN_VALUE;
    }
    return policies
        .filterNamed(plugin)
        .map(filter -> filter.needOf(shapeOfWaiting(pod)))
        .orElse(Long.MIN_VALUE);
  }

  @Override
  public long offeredBy(Change change, String plugin, int priority) {
    return policies
        .filterNamed(plugin)
        .map(filter -> filter.offeredBy(change, priority, state))
        .orElse(Long.MAX_VALUE);
  }

  private static PodShape shapeOfWaiting(PodEntry pod) {
    return new PodShape(pod.shared(), pod.matchers(), Optional.empty());
  }

  @Override
  public boolean mayHelp(SchedulingUnit unit, String plugin, Change change) {
    if (change instanceof Change.SelfChanged || change instanceof Change.PriorityClassChanged) {
      return true;
    }
    if (change instanceof Change.PodGone gone
        && awaited.victimsOf(unit.key()).contains(gone.pod().ref().uid())) {
      // It is tried after its last victim is gone, even if others have taken the resources since.
      return !awaited.isOneOfSeveral(unit.key(), gone.pod().ref().uid());
    }
    Optional<OwnRule> rule = OwnRule.labelled(plugin);
    if (rule.equals(Optional.of(OwnRule.QUEUE))) {
      return change instanceof Change.QueuesChanged
          || (concernsQueues(change) && quotas.heldBy(unit).isEmpty());
    }
    if (rule.equals(Optional.of(OwnRule.NODE_REQUESTS))) {
      return change instanceof Change.QueuesChanged || quotas.roomForNodeRequests(unit) > 0;
    }
    return switch (unit) {
      case PodEntry pod -> mayHelpPod(pod, plugin, rule, change);
      case GroupEntry group -> mayHelpGroup(group, plugin, rule, change);
    };
  }

  private boolean mayHelpGroup(
      GroupEntry group, String plugin, Optional<OwnRule> rule, Change change) {
    SharedSpec asked = null;
    for (PodEntry pod : group.waiting()) {
      // Most groups have members of only one shape.
      if (pod.shared() != asked && mayHelpPod(pod, plugin, rule, change)) {
        return true;
      }
      asked = pod.shared();
    }
    return false;
  }

  private boolean mayHelpPod(PodEntry pod, String plugin, Optional<OwnRule> rule, Change change) {
    String policyName = policies.nameFor(pod.model().policy());
    if (change instanceof Change.PolicyChanged policy) {
      return policy.name().equals(policyName);
    }
    if (rule.isPresent()) {
      return concerns(rule.get(), change)
          && (!(change instanceof Change.NamespaceChanged namespace)
              || namespace.name().equals(pod.ref().namespace()));
    }
    Optional<CompiledPolicy> policy =
        policies.find(policyName, pod.model()).map(PolicyTable.Served::policy);
    return policy.isEmpty() || mayCure(policy.get(), plugin, change, pod);
  }

  private boolean mayCure(CompiledPolicy policy, String plugin, Change change, PodEntry pod) {
    for (FilterPlugin filter : policy.filters()) {
      if (filter.name().equals(plugin)) {
        return filter.cureBy(change).mayCure(shapeOfWaiting(pod), state);
      }
    }
    return true;
  }
}
