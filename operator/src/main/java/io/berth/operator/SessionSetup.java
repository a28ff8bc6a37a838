package io.berth.operator;

import io.berth.engine.Engine;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.model.PodRef;
import io.berth.operator.api.ApiCalls;
import io.berth.operator.api.ServiceCalls;
import io.berth.operator.bind.ClaimDeallocations;
import io.berth.operator.bind.ClaimPreparation;
import io.berth.operator.bind.ClaimRelease;
import io.berth.operator.bind.DevicePreparation;
import io.berth.operator.bind.Evictor;
import io.berth.operator.bind.GroupPreparation;
import io.berth.operator.bind.PodStatusWriter;
import io.berth.operator.bind.PodStatusWriter.SchedulingStatus;
import io.berth.operator.extender.ClusterObjects;
import io.berth.operator.extender.ExtenderAdvisor;
import io.berth.operator.feed.ClusterFeed;
import io.berth.operator.feed.FedPod;
import io.berth.operator.gpu.CardHandover;
import io.berth.operator.gpu.NodeLocks;
import io.berth.operator.group.GroupStatusWriter;
import io.berth.operator.record.BerthMetrics;
import io.berth.operator.record.DecisionLog;
import io.berth.operator.record.EventRecorder;
import io.berth.operator.record.PodEvents;
import io.berth.operator.schedule.EngineFeed;
import io.berth.operator.schedule.EngineObserver;
import io.berth.operator.schedule.SchedulerSession;
import io.berth.operator.trace.PodTraces;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;

/**
 * The dependencies of a scheduling session.
 *
 * @param api the API calls by which the session writes
 * @param mayWrite returns whether writes to servers other than the API server, such as extenders,
 *     are allowed now
 * @param services creates the calls to extenders
 * @param feed the watched cluster
 * @param engineFeed the source of what the engine is fed
 * @param schedulerNames the scheduler names whose pods are placed
 * @param onFailed called when the engine has failed and cannot be replaced
 * @param patchesLabels whether labels of a Binding that the API server did not copy are written
 * @param observer follows what the engine is given and what it answers
 * @param log the log of the session's actions
 */
public record SessionSetup(
    ApiCalls api,
    BooleanSupplier mayWrite,
    ServiceCalls.Opener services,
    ClusterFeed feed,
    EngineFeed engineFeed,
    List<String> schedulerNames,
    EventRecorder events,
    DecisionLog decisions,
    BerthMetrics metrics,
    PodTraces traces,
    Runnable onFailed,
    boolean patchesLabels,
    EngineObserver observer,
    Logger log,
    Clock clock) {

  /** Creates a session without starting it. */
  public SchedulerSession session() {
    EngineOptions options = EngineOptions.defaults().withSchedulerNames(Set.copyOf(schedulerNames));
    return session(() -> new Engine(options));
  }

  /**
   * Creates a session without starting it.
   *
   * @param engines creates the engine, and each one that replaces an engine that has failed
   */
  public SchedulerSession session(Supplier<Engine> engines) {
    return new SchedulerSession(engines, engineFeed, parts(), observer, clock);
  }

  private SchedulerSession.Parts parts() {
    PodEvents podEvents = new PodEvents(events);
    ClaimDeallocations deallocations = new ClaimDeallocations(api);
    NodeLocks locks =
        new NodeLocks(
            api,
            new GroupPreparation(
                api,
                new DevicePreparation(
                    api,
                    new ClaimPreparation(api, new WatchedStorage(feed)),
                    new WatchedClaims(feed),
                    deallocations,
                    clock),
                feed::isPending),
            clock,
            (pod, reason) ->
                podEvents.failedScheduling(pod, "the pod waits to be bound: " + reason));
    return new SchedulerSession.Parts(
        api,
        locks,
        new ClaimRelease(api, deallocations, this::claimsOf),
        new CardHandover(api, locks, new WatchedGpus(feed), events, patchesLabels, clock),
        new PodStatusWriter(api, this::statusOf, clock),
        new Evictor(api, schedulerNames.getFirst(), clock),
        new ExtenderAdvisor(
            new ClusterObjects(api, feed::node, this::placedPod), api, services, metrics, mayWrite),
        podEvents,
        decisions,
        metrics,
        new GroupStatusWriter(
            new GroupStatusWriter.Parts(
                api,
                Set.copyOf(schedulerNames),
                feed::groupObject,
                feed::pods,
                events,
                metrics,
                clock)),
        traces,
        new PodSchedulers(schedulerNames, feed)::of,
        name -> feed.node(name).isPresent(),
        onFailed,
        log);
  }

  /** Returns the existing claims of a pod for devices. */
  private List<ResourceClaim> claimsOf(PodRef pod) {
    Stream<String> names =
        feed
            .pod(pod.namespace(), pod.name())
            .filter(fed -> fed.ref().uid().equals(pod.uid()))
            .map(FedPod::deviceClaims)
            .orElse(List.of())
            .stream();
    return Stream.concat(names, Stream.of(ClaimRelease.nameOfExtendedClaim(pod)))
        .flatMap(name -> feed.deviceClaim(pod.namespace(), name).stream())
        .toList();
  }

  private Optional<SchedulingStatus> statusOf(PodRef pod) {
    return feed.pendingPod(pod)
        .map(
            fed ->
                new SchedulingStatus(
                    fed.notScheduled().reason(),
                    fed.notScheduled().message(),
                    fed.nominatedNode()));
  }

  private Optional<ClusterObjects.OnNode> placedPod(String uid) {
    return feed.pods()
        .filter(pod -> pod.ref().uid().equals(uid) && !pod.nodeName().isEmpty())
        .findFirst()
        .map(pod -> new ClusterObjects.OnNode(pod.ref(), pod.nodeName()));
  }
}
