package io.berth.operator.reconcile;

import io.berth.crds.ConfigStatus;
import io.berth.crds.NodeSchedulerConfig;
import io.berth.crds.PodSchedulerConfig;
import io.berth.crds.SchedulerConfigBinding;
import io.berth.crds.SchedulingPolicy;
import io.berth.crds.SchedulingQueue;
import io.berth.engine.api.GaugeReading;
import io.berth.engine.api.QueueState;
import io.berth.engine.api.ShadowState;
import io.berth.operator.api.ApiCalls;
import io.berth.operator.api.Backoff;
import io.berth.operator.feed.ClusterFeed;
import io.berth.operator.policy.GoodRevision;
import io.berth.operator.policy.ServedPolicies;
import io.berth.operator.record.EventRecorder;
import io.berth.operator.rollout.RolloutTally;
import io.berth.webhook.binding.ConfigCatalog;
import io.berth.webhook.template.TemplateKind;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.CustomResource;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The work of the reconcilers of one term, without the library and the threads that call it: the
 * status that each object of Berth's kinds should have, what must be looked at after a change, and
 * the repair of pods that were admitted unrendered.
 */
public final class Reconciliation {

  /** The time between two calls of {@link #changed}. */
  public static final Duration SETTLE = Duration.ofMillis(250);

  /** The maximum time between two reconciliations of an object. */
  public static final Duration LOOK_AGAIN = StatusReconciler.LOOK_AGAIN;

  /** The time between two calls of {@link #repair}. */
  public static final Duration REPAIR_EVERY = Duration.ofSeconds(10);

  /** The delays after which a status that could not be written is reconciled again. */
  public static final Backoff RETRIES = new Backoff(Duration.ofMillis(500), Duration.ofMinutes(1));

  private final ClusterFeed feed;
  private final Supplier<ConfigCatalog> catalog;
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
  private final StatusFailures failures;
  private final RolloutTally tally;
  private final ServedPolicies served;

  /** Used only by {@link #changed}. */
  private @Nullable Seen seen;

  /**
   * The dependencies of the reconcilers.
   *
   * @param gauges returns the readings of all policies' gauges; empty while they are unknown
   * @param queues returns the states of all SchedulingQueues; empty while they are unknown
   * @param shadows returns the states of the shadows of policies; empty while they are unknown
   * @param rollouts counts the results of both revisions while a change is rolled out
   * @param usageProblem returns the problem with the measured usage of nodes; empty if there is
   *     none
   * @param goodRevisions stores a good revision of the policy of this name; may block, and throws a
   *     {@link io.fabric8.kubernetes.client.KubernetesClientException} if it cannot
   * @param completeConfigs stores the complete revision of a config; as {@code goodRevisions}
   * @param repairs whether pods that were admitted unrendered are recreated on request
   */
  public record Parts(
      ClusterFeed feed,
      Supplier<ConfigCatalog> catalog,
      ServedPolicies served,
      Supplier<Optional<List<GaugeReading>>> gauges,
      Supplier<Optional<List<QueueState>>> queues,
      Supplier<Optional<List<ShadowState>>> shadows,
      RolloutTally rollouts,
      Supplier<Optional<String>> usageProblem,
      BiConsumer<String, GoodRevision> goodRevisions,
      Consumer<CustomResource<?, ConfigStatus>> completeConfigs,
      ApiCalls api,
      EventRecorder events,
      Set<String> schedulerNames,
      boolean repairs,
      Clock clock) {}

  /** The inputs of which each may change the status of any object. */
  private record Seen(ConfigCatalog catalog, PodCounts counts, Set<List<String>> modes) {}

  /** Creates the reconcilers. */
  public Reconciliation(Parts parts) {
    this.feed = parts.feed();
    this.catalog = parts.catalog();
    this.gauges = parts.gauges();
    this.tally = parts.rollouts();
    this.served = parts.served();
    Clock clock = parts.clock();
    unrendered =
        new UnrenderedPods(
            feed,
            catalog,
            parts.events(),
            new Recreation(
                feed, parts.api(), new DryRunCreation(parts.api()), parts.repairs(), clock));
    pods = new CountedPods(feed, catalog, parts.schedulerNames(), clock);
    failures = new StatusFailures(parts.api()::nanoTime);
    StoredObjectReview review = new StoredObjectReview(catalog);
    RenderedTally rendered = new RenderedTally(catalog, feed::pods, clock);
    nodeConfigs =
        new NodeConfigReconciler(
            new ConfigStatuses(
                TemplateKind.NODE,
                review,
                catalog,
                pods,
                rollouts(TemplateKind.NODE, rendered, parts),
                clock),
            failures);
    podConfigs =
        new PodConfigReconciler(
            new ConfigStatuses(
                TemplateKind.POD,
                review,
                catalog,
                pods,
                rollouts(TemplateKind.POD, rendered, parts),
                clock),
            failures);
    bindings =
        new BindingReconciler(
            review, pods, unrendered::count, unrendered::obstacle, parts.events(), failures, clock);
    kept = new KeptRevisions(parts.served(), parts.goodRevisions(), clock);
    policies =
        new PolicyReconciler(
            parts.served(),
            kept,
            review,
            catalog,
            pods,
            this::bindingsOf,
            gauges,
            parts.shadows(),
            new PolicyRollouts(parts.served(), parts.rollouts(), clock),
            parts.usageProblem(),
            failures,
            clock);
    queues = new QueueReconciler(review, parts.queues(), failures, clock);
    legacy = new LegacyReports(feed, parts.served(), kept, parts.events(), clock);
    silent = new SilentWatch(clock);
  }

  private static ConfigRollouts rollouts(TemplateKind kind, RenderedTally tally, Parts parts) {
    return new ConfigRollouts(kind, parts.catalog(), tally, parts.completeConfigs(), parts.clock());
  }

  /** Returns the reconcilers of all kinds. */
  List<StatusReconciler<?, ?>> reconcilers() {
    return List.of(nodeConfigs, podConfigs, bindings, policies, queues);
  }

  private StatusReconciler<?, ?> reconcilerOf(HasMetadata object) {
    return switch (object) {
      case NodeSchedulerConfig _ -> nodeConfigs;
      case PodSchedulerConfig _ -> podConfigs;
      case SchedulerConfigBinding _ -> bindings;
      case SchedulingPolicy _ -> policies;
      case SchedulingQueue _ -> queues;
      default -> throw new IllegalArgumentException(object.getKind() + " has no reconciler");
    };
  }

  /** Makes the library reconcile an object soon. */
  void nudge(HasMetadata object) {
    reconcilerOf(object).nudge(ResourceID.fromResource(object));
  }

  /** Makes the library reconcile a policy soon. */
  void nudgePolicy(String name) {
    policies.nudge(new ResourceID(name));
  }

  /** Returns all objects that have a status to maintain. */
  public List<HasMetadata> objects() {
    List<HasMetadata> objects = new ArrayList<>();
    objects.addAll(feed.nodeConfigs());
    objects.addAll(feed.podConfigs());
    objects.addAll(feed.bindings());
    objects.addAll(feed.policies());
    objects.addAll(feed.queues());
    return objects;
  }

  /**
   * Reconciles an object; may block. Returns the object with only the status to apply; empty if its
   * status is as it should be.
   *
   * @param object an object of Berth's kinds, with its latest known status
   */
  public Optional<HasMetadata> reconcile(HasMetadata object) {
    return switch (object) {
      case NodeSchedulerConfig config -> nodeConfigs.patch(config).map(HasMetadata.class::cast);
      case PodSchedulerConfig config -> podConfigs.patch(config).map(HasMetadata.class::cast);
      case SchedulerConfigBinding binding -> bindings.patch(binding).map(HasMetadata.class::cast);
      case SchedulingPolicy policy -> policies.patch(policy).map(HasMetadata.class::cast);
      case SchedulingQueue queue -> queues.patch(queue).map(HasMetadata.class::cast);
      default -> throw new IllegalArgumentException(object.getKind() + " has no reconciler");
    };
  }

  /** Reports that the status of an object could not be written. */
  public AfterFailure failed(HasMetadata object, Exception failure) {
    return failures.react(object, failure);
  }

  /**
   * Reports on legacy policies, and stores revisions again that could not be stored; may block.
   * Returns the objects whose status may have changed since the last call: if any of Berth's kinds
   * or a count changes, the status of any other may change. The first call returns all. Called by
   * one thread, every {@link #SETTLE}.
   */
  public List<HasMetadata> changed() {
    tally.keepOnly(served.names());
    legacy.look();
    kept.retry();
    Seen before = seen;
    Seen now = new Seen(catalog.get(), pods.get(), modes());
    seen = now;
    if (before == null
        || !now.catalog().equals(before.catalog())
        || !now.counts().equals(before.counts())) {
      return objects();
    }
    return now.modes().equals(before.modes()) ? List.of() : List.copyOf(feed.policies());
  }

  /** Returns the scopes and modes of all gauges; a change of a mode must be written soon. */
  private Set<List<String>> modes() {
    return gauges.get().orElse(List.of()).stream()
        .map(gauge -> List.of(gauge.policy(), gauge.reading().scope(), gauge.reading().mode()))
        .collect(Collectors.toSet());
  }

  /**
   * Checks all pods for a missing rendering, and recreates some of those that lack one. Called by
   * one thread, every {@link #REPAIR_EVERY}.
   */
  public void repair() {
    unrendered.look();
  }

  /**
   * Returns an object that was not reconciled although it changed a while ago, if there is one.
   * Called by one thread.
   */
  public Optional<HasMetadata> missed() {
    List<HasMetadata> fed = objects();
    List<StatusReconciler<?, ?>> all = reconcilers();
    Set<String> uids =
        fed.stream().map(object -> object.getMetadata().getUid()).collect(Collectors.toSet());
    all.forEach(reconciler -> reconciler.keepGiven(uids));
    return silent.missed(
        fed, uid -> all.stream().mapToLong(each -> each.givenGeneration(uid)).max().orElse(0));
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
}
