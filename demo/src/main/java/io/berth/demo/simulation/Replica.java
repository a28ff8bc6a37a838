package io.berth.demo.simulation;

import io.berth.engine.Engine;
import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.api.Idle;
import io.berth.engine.api.Outcome;
import io.berth.engine.time.Due;
import io.berth.operator.SessionSetup;
import io.berth.operator.api.ApiCalls;
import io.berth.operator.feed.ClusterFeed;
import io.berth.operator.feed.Subscription;
import io.berth.operator.feed.WatchTimes;
import io.berth.operator.policy.PolicySources;
import io.berth.operator.policy.ServedPolicies;
import io.berth.operator.record.BerthMetrics;
import io.berth.operator.record.DecisionLog;
import io.berth.operator.record.EventRecorder;
import io.berth.operator.schedule.EngineFeed;
import io.berth.operator.schedule.SchedulerSession;
import io.berth.operator.trace.PodTraces;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import org.slf4j.LoggerFactory;

/**
 * A replica that leads until it crashes: the feed, the policies, and the scheduling session of the
 * real process, without its threads.
 */
final class Replica {
  static final String SCHEDULER = "berth";

  /** More turns than the pods of a cluster cause at one time. */
  private static final int MOST_TURNS = 1_000;

  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);
  private static final Duration RENEWAL = Duration.ofSeconds(2);
  private static final int DECISIONS_REMEMBERED = 1_000;
  private static final int MOST_FRESH_DECISIONS = 100_000;

  private final VirtualTime time;
  private final Faults faults;
  private final Consumer<String> onViolation;
  private final BerthMetrics metrics = new BerthMetrics(List.of(SCHEDULER));
  private final ClusterFeed feed;
  private final EngineFeed engineFeed;
  private final ServedPolicies policies;
  private final EventRecorder events;
  private final SchedulerSession session;
  private final SimulatedWatch watch;
  private final Subscription subscription;

  /** The time of the next turn that the loop has asked for; empty if there is none. */
  private OptionalLong wakeAt = OptionalLong.empty();

  private boolean alive = true;

  /**
   * Begins to lead.
   *
   * @param client used to build a feed; no requests are sent
   * @param onViolation called if the replica stops to schedule
   * @param log receives a line for each request
   */
  Replica(
      VirtualTime time,
      ApiStore store,
      Faults faults,
      KubernetesClient client,
      Consumer<String> onViolation,
      Consumer<String> log) {
    this.time = time;
    this.faults = faults;
    this.onViolation = onViolation;
    ApiCalls api = new SimulatedApi(time, store, faults, () -> alive, log);
    feed = new ClusterFeed(client, "berth-system", WatchTimes.defaults(), failure -> {});
    engineFeed = new EngineFeed(feed::subscribe, feed::replay);
    policies = new ServedPolicies(engineFeed::publish);
    events =
        new EventRecorder(
            api, subject -> SCHEDULER, "simulated", time.clock(), this::isBinding, () -> {});
    session =
        new SessionSetup(
                api.onlyWhile(() -> alive),
                () -> alive,
                feed,
                engineFeed,
                List.of(SCHEDULER),
                events,
                new DecisionLog(DECISIONS_REMEMBERED),
                metrics,
                PodTraces.OFF,
                () -> onViolation.accept("the engine has failed and cannot be rebuilt"),
                LoggerFactory.getLogger(SchedulerSession.class),
                time.clock())
            .session();
    watch = new SimulatedWatch(time, store, faults, () -> alive, feed, this::updatePolicies);
    watch.start();
    updatePolicies();
    policies.beginTerm(Map.of(), Map.of());
    subscription = engineFeed.subscribe(session.loop());
    session.loop().begin();
    renewLater();
  }

  private boolean isBinding() {
    return session.binder().isBinding();
  }

  private void updatePolicies() {
    policies.update(PolicySources.in(feed));
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
    if (!alive) {
      return;
    }
    for (int turns = 0; turns < MOST_TURNS; turns++) {
      Due due = session.loop().turn();
      if (!due.equals(Due.AT_ONCE)) {
        wake(due);
        return;
      }
    }
    onViolation.accept("the loop does not come to rest");
  }

  private void wake(Due due) {
    long at = time.nanoTime() + due.pause(time.instant(), LONGEST_PAUSE).toNanos();
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
    subscription.close();
    metrics.close();
  }

  /** Returns what this replica has not finished, although nothing happens any more. */
  List<String> unfinished() {
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
    return unfinished;
  }

  /**
   * Returns what a new engine would do now that this one, which is at rest, has not done: each is a
   * pod that nothing has woken.
   */
  List<String> missed() {
    EngineOptions options = EngineOptions.defaults().withSchedulerNames(Set.of(SCHEDULER));
    Engine fresh = new Engine(options);
    engineFeed.replay(event -> fresh.apply(event, time.instant()));
    List<String> missed = new ArrayList<>();
    for (int i = 0; i < MOST_FRESH_DECISIONS; i++) {
      Outcome outcome = fresh.next(time.instant());
      if (outcome instanceof Idle) {
        return missed;
      }
      if (outcome instanceof Decision.Placed placed) {
        missed.add(
            "pod %s waits, although a new engine places it on %s"
                .formatted(placed.pod(), placed.nodeName()));
      }
    }
    missed.add("a new engine does not come to rest");
    return missed;
  }
}
