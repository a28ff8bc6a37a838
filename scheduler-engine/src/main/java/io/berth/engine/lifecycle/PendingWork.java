package io.berth.engine.lifecycle;

import io.berth.engine.api.EngineOptions;
import io.berth.engine.policy.PolicyTable;
import io.berth.engine.preemption.Reservations;
import io.berth.engine.quota.Quotas;
import io.berth.engine.state.ClusterState;

/**
 * The parts of an engine that follow pods and groups from their arrival to their Binding.
 *
 * @param pods the queue
 * @param groups the groups with pending pods
 * @param openGroups the attempts at groups that are in progress
 * @param assumed the pods that were placed and have not been seen bound
 * @param announced the nominations that decisions have announced
 * @param decided the decisions that are made and not yet returned to the caller
 */
public record PendingWork(
    PendingPods pods,
    PendingGroups groups,
    OpenGroups openGroups,
    AssumedPods assumed,
    AnnouncedNominations announced,
    DecidedPods decided) {

  /** Returns the parts of an engine without pods. */
  public static PendingWork none(
      ClusterState state, PolicyTable policies, Reservations reservations, EngineOptions options) {
    Quotas quotas = new Quotas(state, reservations.nominations());
    AssumedPods assumed = new AssumedPods(state);
    PendingPods pods =
        new PendingPods(
            state,
            new WakeRules(state, policies, reservations.awaited(), quotas, assumed),
            quotas,
            reservations.awaited(),
            options);
    OpenGroups openGroups = new OpenGroups();
    AnnouncedNominations announced = new AnnouncedNominations();
    DecidedPods decided = new DecidedPods(state, assumed);
    GroupStarts starts = new GroupStarts();
    GroupMessages messages =
        new GroupMessages(
            state,
            policies,
            starts,
            reservations.nominations(),
            announced,
            decided,
            options.schedulerNames());
    state.timers().add(messages);
    PendingGroups groups =
        new PendingGroups(
            state,
            pods,
            openGroups,
            assumed,
            reservations,
            starts,
            messages,
            new InterruptedStarts(state, starts, messages, decided));
    return new PendingWork(pods, groups, openGroups, assumed, announced, decided);
  }
}
