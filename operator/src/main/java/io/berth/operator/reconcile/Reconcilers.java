package io.berth.operator.reconcile;

import io.berth.crds.SchedulerConfigBinding;
import io.berth.engine.api.GaugeReading;
import io.berth.engine.api.QueueState;
import io.berth.operator.api.ApiCalls;
import io.berth.operator.api.Backoff;
import io.berth.operator.feed.ClusterFeed;
import io.berth.operator.policy.GoodRevisions;
import io.berth.operator.policy.ServedPolicies;
import io.berth.operator.record.EventRecorder;
import io.berth.webhook.binding.ConfigCatalog;
import io.berth.webhook.template.TemplateKind;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.OperatorException;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The reconcilers for one term as leader. They start in the background, because pods are placed
 * whether or not statuses can be written.
 */
public final class Reconcilers implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Reconcilers.class);
  private static final Duration FIRST_RETRY = Duration.ofMillis(500);
  private static final Duration LONGEST_RETRY = Duration.ofMinutes(1);
  private static final Duration REPAIR_EVERY = Duration.ofSeconds(10);
  private static final int THREADS = 50;
  private static final Duration IDLE_THREAD = Duration.ofSeconds(30);
  private static final Duration SETTLE = Duration.ofMillis(250);

  private final ClusterFeed feed;
  private final Supplier<ConfigCatalog> catalog;
  private final ServedPolicies served;
  private final Supplier<Optional<List<GaugeReading>>> gauges;
  private final NodeConfigReconciler nodeConfigs;
  private final PodConfigReconciler podConfigs;
  private final BindingReconciler bindings;
  private final PolicyReconciler policies;
  private final QueueReconciler queues;
  private final UnrenderedPods unrendered;
  private final LegacyReports legacy;
  private final KeptRevisions kept;
  private final CountedPods pods;
  private final SilentWatch silent;
  private final Thread nudger;
  private final Thread repairer;

  // Guarded by this.
  private final KubernetesClient client;
  private @Nullable Operator operator;
  private volatile boolean closed;

  /**
   * The dependencies of the reconcilers.
   *
   * @param client a client that writes only while the term lasts; the reconcilers close it
   * @param gauges returns the readings of all policies' gauges; empty while they are unknown
   * @param queues returns the states of all SchedulingQueues; empty while they are unknown
   * @param usageProblem returns the problem with the measured usage of nodes; empty if there is
   *     none
   * @param repairs whether pods that were admitted unrendered are recreated on request
   */
  public record Parts(
      KubernetesClient client,
      ClusterFeed feed,
      Supplier<ConfigCatalog> catalog,
      ServedPolicies served,
      Supplier<Optional<List<GaugeReading>>> gauges,
      Supplier<Optional<List<QueueState>>> queues,
      Supplier<Optional<String>> usageProblem,
      GoodRevisions goodRevisions,
      ApiCalls api,
      EventRecorder events,
      Set<String> schedulerNames,
      boolean repairs,
      Clock clock) {}

  /** Creates the reconcilers without starting them. */
  public Reconcilers(Parts parts) {
    this.client = parts.client();
    this.feed = parts.feed();
    this.catalog = parts.catalog();
    this.served = parts.served();
    this.gauges = parts.gauges();
    Clock clock = parts.clock();
    unrendered =
        new UnrenderedPods(
            feed,
            catalog,
            parts.events(),
            new Recreation(
                feed, parts.api(), new DryRunCreation(parts.api()), parts.repairs(), clock));
    pods = new CountedPods(feed, catalog, parts.schedulerNames(), clock);
    StoredObjectReview review = new StoredObjectReview(catalog);
    nodeConfigs =
        new NodeConfigReconciler(
            new ConfigStatuses(TemplateKind.NODE, review, catalog, pods, clock));
    podConfigs =
        new PodConfigReconciler(new ConfigStatuses(TemplateKind.POD, review, catalog, pods, clock));
    bindings =
        new BindingReconciler(
            review, pods, unrendered::count, unrendered::obstacle, parts.events(), clock);
    kept = new KeptRevisions(served, parts.goodRevisions(), clock);
    policies =
        new PolicyReconciler(
            served,
            kept,
            review,
            catalog,
            pods,
            this::bindingsOf,
            gauges,
            parts.usageProblem(),
            clock);
    queues = new QueueReconciler(review, parts.queues(), clock);
    legacy = new LegacyReports(feed, served, kept, parts.events(), clock);
    silent = new SilentWatch(clock);
    nudger = Thread.ofVirtual().name("nudge-reconcilers").unstarted(this::followCatalog);
    repairer = Thread.ofVirtual().name("repair").unstarted(this::repair);
  }

  /** Starts in the background. */
  public void start() {
    Thread.ofVirtual().name("start-reconcilers").start(this::startOperator);
  }

  /**
   * Returns an executor whose threads end when idle. It ignores tasks after shutdown, which timers
   * of the library may still submit.
   */
  private static ExecutorService executor() {
    ThreadPoolExecutor threads =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            IDLE_THREAD.toSeconds(),
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            new ThreadPoolExecutor.DiscardPolicy());
    threads.allowCoreThreadTimeOut(true);
    return threads;
  }

  private void startOperator() {
    if (!openWatches()) {
      return;
    }
    served.onChange(name -> policies.nudge(new ResourceID(name)));
    nudger.start();
    repairer.start();
  }

  /** Starts the library's operator, whose watches deliver the objects to the reconcilers. */
  private boolean openWatches() {
    Operator started =
        new Operator(
            settings ->
                settings
                    .withKubernetesClient(client)
                    .withCloseClientOnStop(false)
                    .withExecutorService(executor())
                    .checkingCRDAndValidateLocalModel(false)
                    .withStopOnInformerErrorDuringStartup(false));
    register(started, nodeConfigs);
    register(started, podConfigs);
    register(started, bindings);
    register(started, policies);
    register(started, queues);
    synchronized (this) {
      if (closed) {
        return false;
      }
      operator = started;
    }
    try {
      started.start();
      return true;
    } catch (OperatorException e) {
      if (!closed) { // otherwise the term ended during startup
        LOG.error("Reconcilers cannot start: no status is written until the next leader", e);
      }
      return false;
    }
  }

  /** Reopens the library's watches if one of them has died without an error. */
  private void replaceSilentWatches() {
    List<CustomResource<?, ?>> fed = new ArrayList<>();
    fed.addAll(feed.nodeConfigs());
    fed.addAll(feed.podConfigs());
    fed.addAll(feed.bindings());
    fed.addAll(feed.policies());
    fed.addAll(feed.queues());
    List<StatusReconciler<?, ?>> all = List.of(nodeConfigs, podConfigs, bindings, policies, queues);
    Set<String> uids =
        fed.stream().map(object -> object.getMetadata().getUid()).collect(Collectors.toSet());
    all.forEach(reconciler -> reconciler.keepGiven(uids));
    Optional<HasMetadata> missed =
        silent.missed(
            fed, uid -> all.stream().mapToLong(each -> each.givenGeneration(uid)).max().orElse(0));
    if (missed.isEmpty()) {
      return;
    }
    LOG.warn(
        "{} {} changed, but its status reconciler was not notified: the connection of its watch was"
            + " lost silently; reopening the watches of all status reconcilers",
        missed.get().getKind(),
        id(missed.get()));
    Operator dead;
    synchronized (this) {
      dead = operator;
    }
    if (dead != null) {
      dead.stop();
    }
    openWatches();
  }

  @Override
  public void close() {
    Operator stopping;
    synchronized (this) {
      closed = true;
      stopping = operator;
      operator = null;
    }
    served.onChange(name -> {});
    nudger.interrupt();
    repairer.interrupt();
    if (stopping != null) {
      stopping.stop();
    }
    client.close();
  }

  /**
   * Schedules status updates after changes: if any of Berth's kinds or a count changes, the status
   * of any other may change.
   */
  private void followCatalog() {
    ConfigCatalog seen = catalog.get();
    PodCounts counted = pods.get();
    Set<List<String>> modes = modes();
    while (!closed) {
      try {
        Thread.sleep(SETTLE);
      } catch (InterruptedException e) {
        return;
      }
      try {
        legacy.look();
        kept.retry();
        ConfigCatalog now = catalog.get();
        PodCounts counts = pods.get();
        Set<List<String>> turned = modes();
        if (!now.equals(seen) || !counts.equals(counted)) {
          nudgeAll();
        } else if (!turned.equals(modes)) {
          feed.policies().forEach(policy -> policies.nudge(id(policy)));
        }
        seen = now;
        counted = counts;
        modes = turned;
      } catch (RuntimeException e) {
        if (closed) {
          LOG.debug("Following the configuration ended: {}", e.getMessage());
        } else {
          LOG.error("Following the configuration failed; retrying", e);
        }
      }
    }
  }

  /** Returns the scopes and modes of all gauges; a change of a mode must be written soon. */
  private Set<List<String>> modes() {
    return gauges.get().orElse(List.of()).stream()
        .map(gauge -> List.of(gauge.policy(), gauge.reading().scope(), gauge.reading().mode()))
        .collect(Collectors.toSet());
  }

  private void nudgeAll() {
    feed.nodeConfigs().forEach(config -> nodeConfigs.nudge(id(config)));
    feed.podConfigs().forEach(config -> podConfigs.nudge(id(config)));
    feed.bindings().forEach(binding -> bindings.nudge(id(binding)));
    feed.policies().forEach(policy -> policies.nudge(id(policy)));
    feed.queues().forEach(queue -> queues.nudge(id(queue)));
  }

  private void repair() {
    while (!closed) {
      try {
        Thread.sleep(REPAIR_EVERY);
        replaceSilentWatches();
        unrendered.look();
      } catch (InterruptedException e) {
        return;
      } catch (RuntimeException e) {
        if (closed) {
          LOG.debug("The check for unrendered pods ended: {}", e.getMessage());
        } else {
          LOG.error(
              "The check for pods that were admitted unrendered and for dead watches failed;"
                  + " retrying",
              e);
        }
      }
    }
  }

  /** Returns the number of pods that lack a rendering. */
  public int unrenderedPods() {
    return unrendered.total();
  }

  private int bindingsOf(String policy) {
    return (int)
        feed.bindings().stream()
            .map(SchedulerConfigBinding::getSpec)
            .filter(spec -> spec != null && policy.equals(spec.schedulingPolicy()))
            .count();
  }

  private static ResourceID id(HasMetadata object) {
    return ResourceID.fromResource(object);
  }

  private static <P extends CustomResource<?, ?>> void register(
      Operator operator, StatusReconciler<P, ?> reconciler) {
    JitteredRetry retry =
        new JitteredRetry(new Backoff(FIRST_RETRY, LONGEST_RETRY), new SecureRandom());
    operator.register(
        reconciler,
        settings -> settings.withRetry(retry).withGenerationAware(true).withFieldManager("berth"));
  }
}
