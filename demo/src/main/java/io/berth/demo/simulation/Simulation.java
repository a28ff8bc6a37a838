package io.berth.demo.simulation;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.demo.invariant.CardUse;
import io.berth.demo.invariant.DeviceUse;
import io.berth.demo.invariant.EngineQuestions;
import io.berth.demo.invariant.FreshEngine;
import io.berth.demo.invariant.Settled;
import io.berth.demo.invariant.Statuses;
import io.berth.demo.simulation.ApiStore.Change;
import io.berth.demo.tenants.Disturbances;
import io.berth.demo.tenants.KubeObjects;
import io.berth.demo.tenants.ObjectKey;
import io.berth.demo.tenants.TenantLimits;
import io.berth.demo.tenants.Tenants;
import io.berth.operator.reconcile.Reconciliation;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One run of the simulation. Between steps of the {@link Tenants} a random time passes; every
 * {@link #STEPS_BEFORE_REST} steps they stop, all faults end, and once the cluster is at rest, it
 * is compared with what a new engine would do.
 */
public final class Simulation {
  private static final int STEPS_BEFORE_REST = Tenants.STEPS_OF_A_MIX;
  private static final Duration LONGEST_STEP = Duration.ofMillis(800);

  /** More than the longest backoff, grace period, and recovery of anything. */
  private static final Duration REST = Duration.ofMinutes(2);

  /** Pods that wait in vain do so for long, and to find them takes a new engine. */
  private static final int STEPS_BETWEEN_QUESTIONS = 2;

  /** The time between two looks at a replica: a retry that was due at the first one has ended. */
  private static final Duration SECOND_LOOK = Duration.ofSeconds(5);

  /** A status is written at most this long after what it says has changed. */
  private static final Duration STATUS_DELAY = Reconciliation.LOOK_AGAIN.plusSeconds(2);

  /** More than the time after which the last request of the former leader is executed. */
  private static final Duration SHORTEST_ELECTION = Duration.ofSeconds(6);

  private static final Duration LONGEST_ELECTION = Duration.ofSeconds(15);

  private static final Duration LONGEST_FAULT = Duration.ofSeconds(20);

  /** The maximum number of violations that a run reports. */
  private static final int MOST_VIOLATIONS = 20;

  private final VirtualTime time;
  private final ApiStore store;
  private final Faults faults = new Faults();
  private final BindingRate bindings;
  private final SimulatedHistory history;
  private final StatusWrites statusWrites;
  private final PolicyHistory policies;
  private final RolloutRules rollouts;
  private final Repairs repairs;
  private final SimulatedServer server;
  private final Probes probes;
  private final QueueLimits queueLimits;
  private final Tenants tenants;
  private final KubernetesClient client;
  private final Recordings recordings;
  private final Map<String, Integer> bound = new TreeMap<>();
  private final Set<String> known = new HashSet<>();
  private final List<String> violations = new ArrayList<>();
  private @Nullable Replica leader;
  private int step;
  private long digest = 17;
  private long changes;
  private int crashes;
  private long rolled;
  private boolean resting;

  /**
   * The result of a run.
   *
   * @param violations what was wrong, with the step before which it was seen; empty if nothing was
   * @param digest a digest of all requests, answers, and changes: equal runs have equal digests
   * @param changes the number of changes of objects
   * @param crashes the number of leaders that crashed
   * @param probes the number of probes that were placed
   * @param longestProbe the longest time for which a probe waited while it could have been placed
   * @param bound the number of pods that were bound, by kind: the beginning of their names
   * @param limited the number of Bindings that were compared with the limit of a queue
   * @param statuses the number of statuses of Berth's kinds that were applied
   * @param repairs the number of pods that were evicted because they were admitted unrendered
   * @param rollouts the rollouts of policies
   * @param rolled the number of decisions that were compared with the share of a rollout
   * @param simulated the time that has passed in the simulation
   */
  public record Report(
      List<String> violations,
      long digest,
      long changes,
      int crashes,
      long probes,
      Duration longestProbe,
      Map<String, Integer> bound,
      long limited,
      long statuses,
      long repairs,
      RolloutNumbers rollouts,
      long rolled,
      Duration simulated) {
    public Report {
      violations = List.copyOf(violations);
      bound = Collections.unmodifiableMap(new TreeMap<>(bound));
    }
  }

  private Simulation(long seed, KubernetesClient client, Recordings recordings) {
    this.recordings = recordings;
    this.client = client;
    this.time = new VirtualTime(seed, this::afterTask);
    this.store = new ApiStore(time::instant);
    this.bindings = new BindingRate(time, this::violated);
    this.history = new SimulatedHistory(time, store);
    this.statusWrites = new StatusWrites(time, store);
    this.policies = new PolicyHistory(store);
    this.rollouts = new RolloutRules(time, policies, this::violated);
    this.repairs = new Repairs(time, this::violated);
    this.server = new SimulatedServer(time, store, faults, serverObserver());
    this.probes = new Probes(time, store, faults, this::violated);
    this.queueLimits = new QueueLimits(time, store, this::violated);
    this.tenants = new Tenants(store, disturbances(), TenantLimits.inMemory(), seed);
    store.listen(this::changed);
    var _ = new Kubelets(time, store);
    var _ = new ReplicaSets(time, store);
    var _ = new ClaimController(time, store);
    var _ = new ImpatientUsers(time, store);
    var _ = new DeviceRules(store, this::violated);
    var _ = new RivalScheduler(time, store, () -> resting);
    var _ = new GarbageCollection(time, store);
  }

  /**
   * Runs a simulation.
   *
   * @param steps the number of steps
   * @param left the numbers of steps that are left out
   */
  public static Report run(int steps, long seed, BitSet left) {
    return run(steps, seed, left, Optional.empty());
  }

  /**
   * Runs a simulation, and records its engines.
   *
   * @param recording an existing directory, to which a file is written for each leader; empty if
   *     nothing is recorded
   */
  public static Report run(int steps, long seed, BitSet left, Optional<Path> recording) {
    try (KubernetesClient client =
        new KubernetesClientBuilder().withConfig(Config.empty()).build()) {
      Simulation simulation = new Simulation(seed, client, new Recordings(recording));
      try (LogWatch _ = new LogWatch(simulation::violated, simulation.time::nanoTime)) {
        simulation.run(steps, left);
      }
      return simulation.report();
    }
  }

  private void run(int steps, BitSet left) {
    try {
      begin();
      step(steps, left);
    } catch (RuntimeException | StackOverflowError | LinkageError | AssertionError e) {
      violated("uncaught " + e + " at " + firstOfBerth(e));
    }
    Replica last = leader;
    if (last != null) {
      end(last);
    }
    recordings.end();
  }

  private void end(Replica replica) {
    rolled += replica.comparedDecisions();
    replica.crash();
  }

  /** Returns the innermost frame of Berth's code, which says more than one of the JDK. */
  private static String firstOfBerth(Throwable failure) {
    return Stream.of(failure.getStackTrace())
        .filter(frame -> frame.getClassName().startsWith("io.berth."))
        .findFirst()
        .map(StackTraceElement::toString)
        .orElse("an unknown place");
  }

  private void begin() {
    SimulatedWebhook webhook = new SimulatedWebhook(time, store, faults, client, this::violated);
    store.admission(
        (object, before) ->
            object.path("kind").asText().equals("Pod") && !faults.isPodWebhookSkipped()
                ? webhook.admit(object, before)
                : Optional.of(object));
    Tenants.NAMESPACES.forEach(this::namespace);
    namespace(Tenants.PROBES);
    tenants.begin();
    elect();
    probes.start();
  }

  private void step(int steps, BitSet left) {
    for (step = 1; step <= steps && violations.size() < MOST_VIOLATIONS; step++) {
      if (!left.get(step)) {
        tenants.step(step);
        afterTask();
      }
      time.advance(time.between(Duration.ZERO, LONGEST_STEP));
      Replica leading = leader;
      if (leading != null) {
        leading.turn();
        if (step % STEPS_BETWEEN_QUESTIONS == 0) {
          leading.vainWaits().forEach(this::violated);
        }
      }
      if (step % STEPS_BEFORE_REST == 0 || step == steps) {
        rest();
      }
    }
  }

  private Report report() {
    return new Report(
        violations,
        digest,
        changes,
        crashes,
        probes.placed(),
        probes.longest(),
        bound,
        queueLimits.judged(),
        statusWrites.applied(),
        repairs.total(),
        rollouts.counts(),
        rolled,
        Duration.ofNanos(time.nanoTime()));
  }

  private void namespace(String name) {
    ObjectNode namespace = KubeObjects.create("Namespace", "", name);
    namespace.withObject("/metadata/labels").put("kubernetes.io/metadata.name", name);
    store.put(namespace);
  }

  private void afterTask() {
    Replica leading = leader;
    if (leading != null) {
      leading.turn();
    }
    probes.check();
  }

  private void elect() {
    leader =
        new Replica(
            time,
            store,
            server,
            faults,
            client,
            this::violated,
            observer(),
            recordings.begin(),
            policies,
            probes::leaderBegins);
  }

  private SimulatedApi.Observer observer() {
    return new SimulatedApi.Observer() {
      @Override
      public void request(String line) {
        mix(line.hashCode());
      }

      @Override
      public void binding(ObjectKey pod) {
        bindings.sent(pod);
      }
    };
  }

  private SimulatedServer.Observer serverObserver() {
    return new SimulatedServer.Observer() {
      @Override
      public void deletionDenied(ObjectNode pod) {
        history.evictionDenied(pod.at("/metadata/uid").asText());
      }

      @Override
      public void evicted(ObjectKey pod) {
        repairs.evicted();
      }

      @Override
      public void statusApplied(ObjectNode before, ObjectNode after) {
        statusWrites.applied(before, after);
        rollouts.applied(before, after);
      }
    };
  }

  private void crash() {
    Replica leading = leader;
    if (leading == null || resting) {
      return;
    }
    crashes++;
    end(leading);
    leader = null;
    probes.leaderEnds();
    time.later(time.between(SHORTEST_ELECTION, LONGEST_ELECTION), this::elect);
  }

  private Disturbances disturbances() {
    return new Disturbances() {
      @Override
      public void webhook(String namespace, Webhook state) {
        faults.webhook(namespace, state);
      }

      @Override
      public void breakServer(RandomGenerator random) {
        Faults.Server[] states = Faults.Server.values();
        faults.server(states[random.nextInt(states.length)]);
        time.later(
            time.between(Duration.ZERO, LONGEST_FAULT), () -> faults.server(Faults.Server.WELL));
      }

      @Override
      public String extenderUrl() {
        return "http://licenses.example.com";
      }

      @Override
      public void extender(Extender state) {
        faults.extender(state);
      }

      @Override
      public void stopPodWebhook() {
        faults.podWebhookStopped(true);
        time.later(
            time.between(Duration.ZERO, LONGEST_FAULT), () -> faults.podWebhookStopped(false));
      }

      @Override
      public void stallWatches() {
        faults.watchStalls(true);
        time.later(time.between(Duration.ZERO, LONGEST_FAULT), () -> faults.watchStalls(false));
      }

      @Override
      public void crash() {
        Simulation.this.crash();
      }
    };
  }

  private void changed(Change change) {
    changes++;
    mix(change.key().hashCode());
    mix(change.object().path("metadata").path("resourceVersion").asText().hashCode());
    mix(KubeObjects.nodeOf(change.object()).hashCode());
    if (change.key().kind().equals("Pod")
        && !KubeObjects.nodeOf(change.object()).isEmpty()
        && known.add(change.object().at("/metadata/uid").asText())) {
      bound.merge(change.key().name().replaceFirst("-[0-9].*", ""), 1, Integer::sum);
    }
  }

  private void mix(int value) {
    digest = digest * 1_000_003L + value;
    digest = digest * 1_000_003L + time.nanoTime();
  }

  private void violated(String what) {
    if (violations.size() < MOST_VIOLATIONS) {
      violations.add("step %d, %.3f s: %s".formatted(step, time.nanoTime() / 1e9, what));
    }
  }

  private void rest() {
    resting = true;
    probes.stop();
    faults.clear();
    time.advance(REST);
    faults.clear(); // what a step had begun may have ended later
    time.advance(REST);
    checkRest();
    probes.start();
    resting = false;
  }

  private void checkRest() {
    Replica leading = leader;
    if (leading == null) {
      violated("no replica leads");
      return;
    }
    outdatedStatuses(leading).forEach(this::violated);
    unfinished(leading).forEach(this::violated);
    List<ObjectNode> objects = store.all();
    FreshEngine fresh = new FreshEngine(client, objects, Tenants.SCHEDULER, time.instant());
    fresh.countsDifferently(leading.engine()).forEach(this::violated);
    fresh.placesOrEvicts(leading.engine()).forEach(this::violated);
    Settled.violations(objects, Tenants.SCHEDULER).forEach(this::violated);
    Settled.nominations(objects, leading.engine()).forEach(this::violated);
    rollouts.late(objects).forEach(this::violated);
    StoredRevisions.missing(objects, policies).forEach(this::violated);
    Repairs.unfinished(objects).forEach(this::violated);
    statusWrites.needless().forEach(this::violated);
    CardUse.violations(objects).forEach(this::violated);
    DeviceUse.violations(objects).forEach(this::violated);
    history.check().forEach(violation -> violated(violation.text()));
    // A new leader begins, because the questions have changed what waits in the engine.
    end(leading);
    probes.leaderEnds();
    new EngineQuestions(client, Tenants.SCHEDULER, time.instant())
        .differences(leading.engine(), fresh)
        .forEach(this::violated);
    elect();
  }

  /** Returns what a replica has not finished if that is so twice: a retry may be due just now. */
  private List<String> unfinished(Replica leading) {
    if (leading.unfinished().isEmpty()) {
      return List.of();
    }
    time.advance(SECOND_LOOK);
    return leading.unfinished();
  }

  /**
   * Returns what is wrong with the statuses, and still is after the time in which they are written
   * again: a pod may have ended just now.
   */
  private Set<String> outdatedStatuses(Replica leading) {
    Set<String> outdated = new LinkedHashSet<>(differingStatuses(leading));
    if (!outdated.isEmpty()) {
      time.advance(STATUS_DELAY);
      outdated.retainAll(differingStatuses(leading));
    }
    return outdated;
  }

  private List<String> differingStatuses(Replica leading) {
    return Statuses.violations(
        client, store.all(), leading.engine(), Tenants.SCHEDULER, time.instant());
  }
}
