package io.berth.operator.policy;

import io.berth.crds.binding.BindingField;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import io.berth.operator.api.LimitedLog;
import io.berth.operator.api.LogKeys;
import io.berth.operator.feed.ClusterFeed;
import io.berth.operator.feed.FedPod;
import io.berth.operator.feed.Subscription;
import io.berth.webhook.binding.AppliedFields;
import io.berth.webhook.binding.ConfigCatalog;
import io.berth.webhook.binding.HeldPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Enforces bindings with {@code podOverrides: Deny} in the engine: it replaces the policy of a
 * pending pod with the one that such a binding selects, whatever the pod's annotations say, because
 * any user who may update a pod can change those, even while the webhook is down. Pods whose policy
 * was set by a binding but cannot be served are passed on without it, so that a platform mistake
 * does not block them. It sits between the feed and all engines, for live events and for those that
 * a rebuilt engine is sent.
 */
public final class HeldPolicies implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(HeldPolicies.class);
  private static final Duration LOOK_EVERY = Duration.ofMillis(250);

  private final ClusterFeed feed;
  private final Supplier<ConfigCatalog> catalog;
  private final Set<String> schedulerNames;
  private final Thread follower;

  /** The policies with which pending pods were last sent to an engine, by the pod's UID. */
  private final Map<String, String> sent = new ConcurrentHashMap<>();

  /**
   * Pending pods that were sent with another policy than the time before. An engine that received
   * them only then, such as one that subscribes later, may know another policy than this one.
   */
  private final Set<PodRef> changed = ConcurrentHashMap.newKeySet();

  private final Set<Consumer<ClusterEvent>> subscribers = ConcurrentHashMap.newKeySet();

  private final LimitedLog log = new LimitedLog(System::nanoTime);

  /** The bindings by which all pods were sent again that differ. Guarded by this. */
  private ConfigCatalog seen;

  private volatile boolean closed;

  /** Creates a filter that does not follow the bindings yet. */
  public HeldPolicies(
      ClusterFeed feed, Supplier<ConfigCatalog> catalog, Set<String> schedulerNames) {
    this.feed = feed;
    this.catalog = catalog;
    this.schedulerNames = schedulerNames;
    this.seen = catalog.get();
    this.follower = Thread.ofVirtual().name("held-policies").unstarted(this::follow);
  }

  /** Starts to follow the bindings: pods whose policy changes with a binding are sent again. */
  public void start() {
    follower.start();
  }

  /** Sends the feed's events to an engine, those of existing objects first. */
  public Subscription subscribe(Consumer<ClusterEvent> engine) {
    Consumer<ClusterEvent> subscriber = event -> engine.accept(filtered(event));
    subscribers.add(subscriber);
    Subscription objects = feed.subscribe(subscriber);
    return () -> {
      objects.close();
      if (subscribers.remove(subscriber) && subscribers.isEmpty()) {
        sent.clear(); // removals are not followed any more
        changed.clear();
      }
    };
  }

  /** Sends the events of all existing objects to an engine that replaces the current one. */
  public void replay(Consumer<ClusterEvent> engine) {
    feed.replay(event -> engine.accept(filtered(event)));
  }

  /** Returns the event as the engine receives it. */
  private ClusterEvent filtered(ClusterEvent event) {
    if (event instanceof ClusterEvent.PodUpserted upserted) {
      if (waits(upserted.pod())) {
        return held(upserted);
      }
      forget(upserted.pod().ref());
    } else if (event instanceof ClusterEvent.PodRemoved(PodRef pod)) {
      forget(pod);
    }
    return event;
  }

  private void forget(PodRef pod) {
    sent.remove(pod.uid());
    changed.remove(pod);
  }

  @Override
  public void close() {
    closed = true;
    follower.interrupt();
  }

  private boolean waits(PodModel pod) {
    return pod.nodeName().isEmpty()
        && !pod.finished()
        && schedulerNames.contains(pod.schedulerName());
  }

  private ClusterEvent held(ClusterEvent.PodUpserted upserted) {
    PodModel pod = upserted.pod();
    String policy =
        feed.pod(pod.ref().namespace(), pod.ref().name())
            .map(fed -> policy(fed, catalog.get()))
            .orElse(pod.policy());
    String before = sent.put(pod.ref().uid(), policy);
    if (before != null && !before.equals(policy)) {
      changed.add(pod.ref());
    }
    if (!feed.isPending(pod.ref())) {
      forget(pod.ref()); // a replay that overlaps with the pod's end
    }
    return policy.equals(pod.policy())
        ? upserted
        : new ClusterEvent.PodUpserted(pod.withPolicy(policy), upserted.partly());
  }

  /** Returns the policy by which the engine places a pod; empty for the default policy. */
  static String policy(FedPod pod, ConfigCatalog catalog) {
    return heldPolicy(pod, catalog)
        .map(held -> held.policy().orElse(""))
        .orElseGet(() -> isParkedByABinding(pod, catalog) ? "" : pod.policy());
  }

  /**
   * Returns whether a binding set a policy that cannot be served. Forging the annotation gains a
   * user nothing, because a pod may also name no policy.
   */
  private static boolean isParkedByABinding(FedPod pod, ConfigCatalog catalog) {
    return AppliedFields.of(pod.annotations()).byBinding(BindingField.SCHEDULING_POLICY)
        && catalog.policy(pod.policy()).flatMap(catalog::obstacle).isPresent();
  }

  /** Returns the policy that a binding enforces for a pod, regardless of the pod's annotations. */
  static Optional<HeldPolicy> heldPolicy(FedPod pod, ConfigCatalog catalog) {
    return catalog
        .held()
        .policy(
            pod.subject(), AppliedFields.of(pod.annotations()).by(BindingField.SCHEDULING_POLICY));
  }

  private void follow() {
    while (!closed) {
      try {
        Thread.sleep(LOOK_EVERY);
        look();
      } catch (InterruptedException e) {
        return;
      } catch (RuntimeException e) {
        LOG.error("Enforcing the policies of bindings on pods failed; retrying", e);
      }
    }
  }

  /**
   * Sends pods again whose policy the bindings have changed since the last look, or of which
   * engines may know different policies. The feed sends them under its own lock, so the order of
   * events is preserved. A pod for which this fails delays no other, and is sent with the next
   * look.
   */
  public synchronized void look() {
    for (PodRef pod : List.copyOf(changed)) {
      if (changed.remove(pod) && !succeeds(pod, () -> resend(pod))) {
        changed.add(pod);
      }
    }
    ConfigCatalog now = catalog.get();
    if (!now.equals(seen) && resendDiffering(now)) {
      seen = now;
    }
  }

  /** Returns whether this succeeded for all pods. */
  private boolean resendDiffering(ConfigCatalog now) {
    if (subscribers.isEmpty()) {
      return true;
    }
    List<FedPod> failed =
        feed.pods().filter(pod -> !succeeds(pod.ref(), () -> resendDiffering(pod, now))).toList();
    return failed.isEmpty();
  }

  private void resendDiffering(FedPod pod, ConfigCatalog now) {
    if (differs(pod, now)) {
      resend(pod.ref());
    }
  }

  private void resend(PodRef pod) {
    feed.resendPod(pod.namespace(), pod.name());
  }

  private boolean succeeds(PodRef pod, Runnable action) {
    try {
      action.run();
      return true;
    } catch (RuntimeException e) {
      log.line(
              "policy of a binding",
              "Enforcing the policy of a binding on pod %s failed; retrying".formatted(pod))
          .ifPresent(line -> LogKeys.pod(pod).error(LOG, line, e));
      return false;
    }
  }

  private boolean differs(FedPod pod, ConfigCatalog now) {
    String before = sent.get(pod.ref().uid());
    return before != null && !before.equals(policy(pod, now));
  }
}
