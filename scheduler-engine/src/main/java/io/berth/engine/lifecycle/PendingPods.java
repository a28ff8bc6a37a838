package io.berth.engine.lifecycle;

import io.berth.engine.api.EngineOptions;
import io.berth.engine.api.WaitCause;
import io.berth.engine.api.WaitingUnit;
import io.berth.engine.framework.Change;
import io.berth.engine.model.PodRef;
import io.berth.engine.preemption.AwaitedVictims;
import io.berth.engine.queue.QueueTimes;
import io.berth.engine.queue.SchedulingQueue;
import io.berth.engine.quota.Quotas;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.GroupEntry;
import io.berth.engine.state.PodEntry;
import io.berth.engine.state.SchedulingUnit;
import io.berth.engine.time.Due;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The queue of pending pods and groups, with their shares of the queues of tenants. */
public final class PendingPods {
  private final Quotas quotas;
  private final SchedulingQueue<SchedulingUnit, Change> queue;
  private final ReclaimRetries reclaims;
  private final Consultations consultations = new Consultations();

  PendingPods(
      ClusterState state,
      WakeRules rules,
      Quotas quotas,
      AwaitedVictims awaited,
      EngineOptions options) {
    this.quotas = quotas;
    this.queue =
        new SchedulingQueue<>(
            rules,
            new QueueTimes(
                options.backoffInitial(), options.backoffMax(), options.unschedulableTimeout()));
    this.reclaims = new ReclaimRetries(quotas, queue, awaited, rules::shapeOf);
    state.timers().add(reclaims);
    state.timers().add(consultations);
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
}
