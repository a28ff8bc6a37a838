package io.berth.engine.lifecycle;

import io.berth.engine.api.EngineOptions;
import io.berth.engine.api.WaitCause;
import io.berth.engine.api.WaitingUnit;
import io.berth.engine.decision.BoundedText;
import io.berth.engine.framework.Change;
import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.framework.FilterPlugin;
import io.berth.engine.framework.PodShape;
import io.berth.engine.group.GroupSearch;
import io.berth.engine.model.PodRef;
import io.berth.engine.policy.PolicyTable;
import io.berth.engine.preemption.AwaitedVictims;
import io.berth.engine.preemption.Reservations;
import io.berth.engine.queue.QueueRules;
import io.berth.engine.queue.QueueTimes;
import io.berth.engine.queue.SchedulingQueue;
import io.berth.engine.quota.Quotas;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.GroupEntry;
import io.berth.engine.state.PodEntry;
import io.berth.engine.state.SchedulingUnit;
import io.berth.engine.state.SharedSpec;
import io.berth.engine.time.Due;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The queue of pending pods and groups, with the rules that wake them. */
public final class PendingPods implements QueueRules<SchedulingUnit, Change> {
  /** The name in place of a plugin if a pod's policy does not exist. */
  public static final String POLICY = "SchedulingPolicy";

  /** The name in place of a plugin if a pod's policy does not place pods of its namespace. */
  public static final String NAMESPACE = "AllowedNamespaces";

  /** The name in place of a plugin if there are no nodes. */
  public static final String NO_NODES = "NoNodes";

  private record Kind(String policy, SharedSpec spec, Object queue) {}

  private final ClusterState state;
  private final PolicyTable policies;
  private final AwaitedVictims awaited;
  private final Quotas quotas;
  private final Set<String> assumed = new HashSet<>();
  private final SchedulingQueue<SchedulingUnit, Change> queue;
  private final ReclaimRetries reclaims;
  private final Consultations consultations = new Consultations();
  private final OpenGroups openGroups = new OpenGroups();
  private final AnnouncedNominations announced = new AnnouncedNominations();
  private final DecidedPods decided;
  private final PendingGroups groups;

  public PendingPods(
      ClusterState state,
      PolicyTable policies,
      Quotas quotas,
      Reservations promises,
      EngineOptions options) {
    this.state = state;
    this.quotas = quotas;
    this.policies = policies;
    this.awaited = promises.awaited();
    this.queue =
        new SchedulingQueue<>(
            this,
            new QueueTimes(
                options.backoffInitial(), options.backoffMax(), options.unschedulableTimeout()));
    this.reclaims = new ReclaimRetries(quotas, queue, awaited, this::shapeOf);
    state.timers().add(reclaims);
    this.decided = new DecidedPods(state, assumed);
    this.groups = new PendingGroups(state, policies, this, promises, options.schedulerNames());
  }

  /** Returns the queues of tenants. */
  public Quotas quotas() {
    return quotas;
  }

  public SchedulingQueue<SchedulingUnit, Change> queue() {
    return queue;
  }

  /** Returns all pods and groups that are in the queue or in flight, in the order of arrival. */
  public List<WaitingUnit> units() {
    return queue.units().stream()
        .map(
            queued ->
                new WaitingUnit(
                    nameOf(queued.unit()),
                    podsOf(queued.unit()),
                    WaitingUnit.Place.valueOf(queued.place().name()),
                    queued.due(),
                    queued.unit().priority(),
                    queued.attempts(),
                    queued.rejectedBy()))
        .toList();
  }

  private static String nameOf(SchedulingUnit unit) {
    return switch (unit) {
      case PodEntry pod -> pod.ref().toString();
      case GroupEntry group -> group.ref().toString();
    };
  }

  private static List<PodRef> podsOf(SchedulingUnit unit) {
    return switch (unit) {
      case PodEntry pod -> List.of(pod.ref());
      case GroupEntry group -> group.waiting().stream().map(PodEntry::ref).toList();
    };
  }

  /** Returns the attempts that wait for advice. */
  public Consultations consultations() {
    return consultations;
  }

  /** Returns the attempts at groups that are in progress. */
  public OpenGroups openGroups() {
    return openGroups;
  }

  /** Returns the decisions that are made and not yet returned to the caller. */
  public DecidedPods decided() {
    return decided;
  }

  /** Returns the groups with pending pods. */
  public PendingGroups groups() {
    return groups;
  }

  /** Returns the nominations that decisions have announced. */
  AnnouncedNominations announced() {
    return announced;
  }

  /** Removes a pod that is bound or deleted. */
  void leave(String uid) {
    consultations.drop(uid);
    queue.remove(uid);
    quotas.requestsNoNodes(uid);
  }

  /** Handles a changed pod: drops advice about its previous state, and retries it. */
  void changed(String uid, Instant now) {
    if (consultations.drop(uid)) {
      queue.restart(uid, new Change.SelfChanged(), now);
    }
  }

  /** Returns the UIDs of the pods that were placed and have not been seen bound. */
  public Set<String> assumed() {
    return assumed;
  }

  @Override
  public boolean isPlaced(String uid) {
    if (assumed.contains(uid)) {
      return true;
    }
    PodEntry pod = state.pods().byUid(uid);
    return pod != null && !pod.model().nodeName().isEmpty();
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
    if (change instanceof Change.TurnGivenUp) {
      return plugin.equals(Quotas.PLUGIN) || plugin.equals(Quotas.NODE_REQUESTS);
    }
    return switch (plugin) {
      case POLICY -> false;
      case Quotas.PLUGIN, Quotas.NODE_REQUESTS -> concernsQueues(change);
      case NAMESPACE -> change instanceof Change.NamespaceChanged;
      case NO_NODES, GroupSearch.PLUGIN -> change instanceof Change.NodeChanged;
      default -> policies.filterNamed(plugin).map(filter -> filter.mayCureAny(change)).orElse(true);
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
    return switch (plugin) {
      case Quotas.PLUGIN -> quotas.roomFor(unit);
      case Quotas.NODE_REQUESTS -> quotas.roomForNodeRequests(unit);
      default -> Integer.MAX_VALUE;
    };
  }

  /**
   * Retries units that may reclaim resources from other queues since their use has changed. Called
   * when no unit is active.
   *
   * @return whether there was any, or there are more to judge
   */
  public boolean retryForReclaim(Instant now) {
    return quotas.areUsed() && reclaims.retry(now);
  }

  /**
   * Rejects a unit. If no node has room for it, it requests one from cluster autoscalers; returns
   * why it does not; empty if it does, or waits for something else.
   *
   * @param plugins the plugins that rejected it
   * @param retryAt the time to retry even without an event
   */
  public Optional<String> rejected(
      SchedulingUnit unit, WaitCause cause, Set<String> plugins, Due retryAt, Instant now) {
    if (cause != WaitCause.NO_ROOM) {
      queue.rejected(unit.key(), plugins, retryAt, now);
      requestsNoNodes(unit.key(), now);
      return Optional.empty();
    }
    Quotas.NodeRequest request = quotas.requestNodes(unit, now);
    Set<String> rejectedBy = plugins;
    if (request.waits()) {
      rejectedBy = new HashSet<>(plugins);
      rejectedBy.add(Quotas.NODE_REQUESTS);
    }
    queue.rejected(unit.key(), rejectedBy, retryAt, now);
    if (request.frees()) {
      queue.wake(new Change.TurnGivenUp(), now);
    }
    return request.why();
  }

  /** Handles that a unit that is not in flight any more waits for something other than nodes. */
  public void requestsNoNodes(String key, Instant now) {
    if (quotas.requestsNoNodes(key)) {
      queue.wake(new Change.TurnGivenUp(), now);
    }
  }

  /** Orders the queue by the queues of tenants, which have changed. */
  public void queuesChanged(Instant now) {
    queue.regroup(quotas.areUsed() ? quotas : null);
    queue.wake(new Change.QueuesChanged(), now);
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
    if (plugin.equals(Quotas.PLUGIN)) {
      return change instanceof Change.QueuesChanged
          || (concernsQueues(change) && quotas.heldBy(unit).isEmpty());
    }
    if (plugin.equals(Quotas.NODE_REQUESTS)) {
      return change instanceof Change.QueuesChanged || quotas.roomForNodeRequests(unit) > 0;
    }
    return switch (unit) {
      case PodEntry pod -> mayHelpPod(pod, plugin, change);
      case GroupEntry group -> mayHelpGroup(group, plugin, change);
    };
  }

  private boolean mayHelpGroup(GroupEntry group, String plugin, Change change) {
    SharedSpec asked = null;
    for (PodEntry pod : group.waiting()) {
      // Most groups have members of only one shape.
      if (pod.shared() != asked && mayHelpPod(pod, plugin, change)) {
        return true;
      }
      asked = pod.shared();
    }
    return false;
  }

  private boolean mayHelpPod(PodEntry pod, String plugin, Change change) {
    String policyName = policies.nameFor(pod.model().policy());
    if (change instanceof Change.PolicyChanged policy) {
      return policy.name().equals(policyName);
    }
    switch (plugin) {
      case POLICY -> {
        return false;
      }
      case NAMESPACE -> {
        return change instanceof Change.NamespaceChanged namespace
            && namespace.name().equals(pod.ref().namespace());
      }
      case NO_NODES, GroupSearch.PLUGIN -> {
        return change instanceof Change.NodeChanged;
      }
      default -> {
        Optional<CompiledPolicy> policy =
            policies.find(policyName, pod.model()).map(PolicyTable.Served::policy);
        return policy.isEmpty() || mayCure(policy.get(), plugin, change, pod);
      }
    }
  }

  private boolean mayCure(CompiledPolicy policy, String plugin, Change change, PodEntry pod) {
    for (FilterPlugin filter : policy.filters()) {
      if (filter.name().equals(plugin)) {
        return filter.mayCure(change, shapeOfWaiting(pod), state);
      }
    }
    return true;
  }
}
