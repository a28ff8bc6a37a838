package io.berth.demo.simulation;

import io.berth.demo.invariant.EngineSources;
import io.berth.demo.invariant.FreshEngine;
import io.berth.demo.invariant.VainWaits;
import io.berth.demo.tenants.Tenants;
import io.berth.engine.Engine;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.WaitingUnit;
import io.berth.engine.model.PodModel;
import io.berth.operator.SessionSetup;
import io.berth.operator.api.ApiCalls;
import io.berth.operator.feed.EventReceipt;
import io.berth.operator.feed.Subscription;
import io.berth.operator.load.UsageOptions;
import io.berth.operator.load.UsagePoller;
import io.berth.operator.policy.CompleteRevisions;
import io.berth.operator.policy.GoodRevision;
import io.berth.operator.policy.RevisionReading;
import io.berth.operator.reconcile.Reconciliation;
import io.berth.operator.record.BerthMetrics;
import io.berth.operator.record.DecisionLog;
import io.berth.operator.record.EventRecorder;
import io.berth.operator.schedule.EngineFeed;
import io.berth.operator.schedule.EngineObserver;
import io.berth.operator.schedule.SchedulerSession;
import io.berth.operator.trace.PodTraces;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * A replica that leads until it crashes: the feed, the policies, and the scheduling session of the
 * real process, without its threads.
 */
final class Replica {
  /** More turns than the pods of a cluster cause at one time. */
  private static final int MOST_TURNS = 1_000;

  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);
  private static final Duration LOOK_AT_BINDINGS = Duration.ofMillis(250);
  private static final Duration RENEWAL = Duration.ofSeconds(2);
  private static final int DECISIONS_REMEMBERED = 1_000;

  private final VirtualTime time;
  private final Faults faults;
  private final SimulatedThreads threads;
  private final Consumer<String> onViolation;
  private final BerthMetrics metrics = new BerthMetrics(List.of(Tenants.SCHEDULER));
  private final EngineSources sources;
  private final EventRecorder events;
  private final SchedulerSession session;
  private final UsagePoller usage;
  private final SimulatedWatch watch;
  private final StoredRevisions revisions;
  private final DecidedRevisions decided;
  private final SimulatedReconcilers reconcilers;
  private @Nullable Subscription subscription;
  private boolean begun;

  /** The time of the next turn that the loop has asked for; empty if there is none. */
  private OptionalLong wakeAt = OptionalLong.empty();

  private @Nullable Engine engine;
  private boolean alive = true;

  /**
   * Begins to lead.
   *
   * @param server executes the requests
   * @param client used to build a feed; no requests are sent
   * @param onViolation called if the replica stops to schedule
   * @param observer hears of the requests
   * @param recording follows what the engine is given and what it answers
   * @param policies all versions of policies
   * @param onBegun called when the stored revisions were read, and this replica schedules
   */
  Replica(
      VirtualTime time,
      ApiStore store,
      SimulatedServer server,
      Faults faults,
      KubernetesClient client,
      Consumer<String> onViolation,
      SimulatedApi.Observer observer,
      EngineObserver recording,
      PolicyHistory policies,
      Runnable onBegun) {
    this.time = time;
    this.faults = faults;
    this.onViolation = onViolation;
    threads = new SimulatedThreads(time);
    ApiCalls api = new SimulatedApi(time, threads, server, faults, () -> alive, observer);
    ApiCalls fenced = api.onlyWhile(() -> alive);
    revisions =
        new StoredRevisions(
            threads, SimulatedClient.of(threads, api), SimulatedClient.of(threads, fenced));
    sources = EngineSources.of(client, Tenants.SCHEDULER);
    decided =
        new DecidedRevisions(
            recording, time, policies, sources.policies()::lacksRevisions, onViolation);
    events =
        new EventRecorder(
            api,
            subject -> Tenants.SCHEDULER,
            "simulated",
            time.clock(),
            this::isBinding,
            () -> {});
    session =
        new SessionSetup(
                api.onlyWhile(() -> alive),
                () -> alive,
                (service, trust) -> new SimulatedExtender(time, faults, observer::request),
                sources.feed(),
                sources.engineFeed(),
                List.of(Tenants.SCHEDULER),
                events,
                new DecisionLog(DECISIONS_REMEMBERED, sources.feed()::isPending, time.clock()),
                metrics,
                PodTraces.OFF,
                () -> onViolation.accept("the engine has failed and cannot be rebuilt"),
                true,
                decided,
                LoggerFactory.getLogger(SchedulerSession.class),
                time.clock())
            .session(this::newEngine);
    watch =
        new SimulatedWatch(
            time, store, faults, () -> alive, sources.feed(), this::policiesDelivered);
    usage =
        UsagePoller.of(
            new UsagePoller.Parts(
                UsageOptions.defaults(),
                sources.policies()::usageMaxAge,
                sources.feed()::nodeNames,
                sources.feed()::node,
                sources.engineFeed()::publish,
                metrics,
                time.clock()),
            api);
    reconcilers =
        new SimulatedReconcilers(
            time,
            threads,
            fenced,
            new Reconciliation(
                new Reconciliation.Parts(
                    sources.feed(),
                    sources.catalog(),
                    sources.policies(),
                    session::gauges,
                    session::queues,
                    session::shadows,
                    session.rollouts(),
                    usage::problem,
                    revisions,
                    config -> {}, // no tenant rolls a config out
                    fenced,
                    events,
                    Set.of(Tenants.SCHEDULER),
                    true,
                    time.clock())),
            sources.policies(),
            () -> alive,
            onViolation);
    threads.fork(() -> begin(onBegun));
  }

  /** Reads the stored revisions as a process does when it starts, and then leads. */
  private void begin(Runnable onBegun) {
    RevisionReading<CompleteRevisions> atStart =
        new RevisionReading<>(revisions::load, sources::stored, sources::lacksRevisions);
    atStart.readFirst().ifPresent(sources::stored);
    lookLater(atStart);
    watch.start();
    sources.updatePolicies();
    RevisionReading<CompleteRevisions> ofTerm =
        new RevisionReading<>(
            revisions::load, read -> sources.policies().stored(read.policies()), () -> false);
    Map<String, GoodRevision> kept =
        ofTerm.readFirst().map(CompleteRevisions::policies).orElse(Map.of());
    lookLater(ofTerm);
    sources.policies().beginTerm(kept, Map.of());
    usage.start();
    reconcilers.start();
    subscription = sources.engineFeed().subscribe(session.loop());
    session.loop().begin();
    begun = true;
    renewLater();
    holdLater();
    onBegun.run();
  }

  /** Looks for missing revisions again and again, as the thread of the real process does. */
  private void lookLater(RevisionReading<?> reading) {
    time.later(
        reading.pause(),
        () -> {
          if (alive) {
            threads.fork(
                () -> {
                  reading.look();
                  lookLater(reading);
                });
          }
        });
  }

  private void policiesDelivered() {
    sources.updatePolicies();
    decided.delivered(sources.feed().policies());
  }

  /** Returns the number of decisions by a policy that was being rolled out. */
  long comparedDecisions() {
    return decided.compared();
  }

  private void holdLater() {
    time.later(
        LOOK_AT_BINDINGS,
        () -> {
          if (alive) {
            sources.held().look();
            holdLater();
          }
        });
  }

  private Engine newEngine() {
    Engine created = new Engine(FreshEngine.options(Tenants.SCHEDULER));
    engine = created;
    return created;
  }

  /** Returns the engine, which must not be used while this replica is alive. */
  Engine engine() {
    return Objects.requireNonNull(engine);
  }

  private boolean isBinding() {
    return session.binder().isBinding();
  }

  private void renewLater() {
    time.later(
        RENEWAL,
        () -> {
          if (alive) {
            if (faults.isServerWell()) {
              session.binder().serverAnswered(faults.latency(time.random()));
            }
            renewLater();
          }
        });
  }

  /** Lets the loop do all that it has to do now. */
  void turn() {
    if (!alive || !begun) {
      return;
    }
    for (int turns = 0; turns < MOST_TURNS; turns++) {
      Duration pause = session.loop().turn().pause(time.instant(), LONGEST_PAUSE);
      long nanos = pause.toNanos(); // as the loop's own thread waits
      if (nanos > 0) {
        wake(time.nanoTime() + nanos);
        return;
      }
    }
    onViolation.accept("the loop does not come to rest");
  }

  private void wake(long at) {
    if (wakeAt.isEmpty() || at < wakeAt.getAsLong()) {
      wakeAt = OptionalLong.of(at);
      time.at(
          at,
          () -> {
            if (wakeAt.equals(OptionalLong.of(at))) {
              wakeAt = OptionalLong.empty();
            }
          });
    }
  }

  /** Ends this replica at once, in whatever it is doing. */
  void crash() {
    alive = false;
    watch.stop();
    threads.end();
    usage.close();
    Subscription inputs = subscription;
    if (inputs != null) {
      inputs.close();
    }
    metrics.close();
  }

  /** Returns the pods that wait for an event in vain, after a {@link #turn}. */
  List<String> vainWaits() {
    if (!begun) {
      return List.of();
    }
    List<ClusterEvent> fed = new ArrayList<>();
    sources
        .engineFeed()
        .subscribe(
            new EngineFeed.Subscriber() {
              @Override
              public void post(ClusterEvent event) {
                fed.add(event);
              }

              @Override
              public void post(ClusterEvent event, Consumer<EventReceipt> receipt) {
                fed.add(event);
              }
            })
        .close();
    VainWaits waits =
        new VainWaits(Tenants.SCHEDULER, Replica::isJudged, engine(), fed, time.instant());
    // Decisions are handed over one by one, as long as the binder has room for them.
    return session.binder().pending() == 0 ? waits.find() : waits.findBesideDecided();
  }

  /**
   * Returns whether the decisions about a pod do not depend on an extender, which may be broken.
   */
  private static boolean isJudged(PodModel pod) {
    return !pod.policy().equals(Tenants.EXTENDED_POLICY);
  }

  /** Returns what this replica has not finished, although nothing happens any more. */
  List<String> unfinished() {
    if (!begun) {
      return List.of("the replica has not begun to schedule");
    }
    List<String> unfinished = new ArrayList<>();
    if (!watch.isCaughtUp()) {
      unfinished.add("the watch has undelivered changes");
    }
    if (session.binder().pending() > 0) {
      unfinished.add(session.binder().pending() + " Bindings are pending");
    }
    if (events.pending() > 0) {
      unfinished.add(events.pending() + " events are pending");
    }
    engine().waitingUnits().stream()
        .filter(unit -> unit.place() == WaitingUnit.Place.IN_FLIGHT)
        .forEach(unit -> unfinished.add("the attempt for " + unit.name() + " has not ended"));
    return unfinished;
  }
}
