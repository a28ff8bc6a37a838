package io.berth.operator.policy;

import io.berth.crds.binding.BindingField;
import io.berth.engine.ClusterEvent;
import io.berth.engine.PodRef;
import io.berth.engine.model.PodModel;
import io.berth.operator.feed.ClusterFeed;
import io.berth.operator.feed.FedPod;
import io.berth.webhook.binding.AppliedFields;
import io.berth.webhook.binding.ConfigCatalog;
import io.berth.webhook.binding.HeldPolicy;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the engine of pods with the policy that a binding with {@code podOverrides: Deny} decides
 * now, whatever their annotations say: anybody who may update a pod can change those, also while
 * the webhook is away. Pods whose policy came from a binding and can never be served are reported
 * without it, since a mistake of the platform must not stop them. Stands between the feed and the
 * engine for one term.
 */
public final class HeldPolicies implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(HeldPolicies.class);
  private static final Duration LOOK_EVERY = Duration.ofMillis(250);

  private final ClusterFeed feed;
  private final Supplier<ConfigCatalog> catalog;
  private final Set<String> schedulerNames;
  private final Consumer<ClusterEvent> engine;
  private final Thread follower;

  /** The policies of pending pods that were sent to the engine, by UID. */
  private final Map<String, String> told = new ConcurrentHashMap<>();

  private volatile boolean closed;

  /**
   * @param engine takes the events
   */
  public HeldPolicies(
      ClusterFeed feed,
      Supplier<ConfigCatalog> catalog,
      Set<String> schedulerNames,
      Consumer<ClusterEvent> engine) {
    this.feed = feed;
    this.catalog = catalog;
    this.schedulerNames = schedulerNames;
    this.engine = engine;
    this.follower = Thread.ofVirtual().name("held-policies").unstarted(this::follow);
  }

  /** Begins to tell of pods again where a changed binding decides otherwise. */
  public void start() {
    follower.start();
  }

  /** Takes an event of the feed, and passes it on. */
  public void accept(ClusterEvent event) {
    switch (event) {
      case ClusterEvent.PodUpserted upserted when waits(upserted.pod()) ->
          engine.accept(held(upserted));
      case ClusterEvent.PodUpserted upserted -> {
        told.remove(upserted.pod().ref().uid());
        engine.accept(upserted);
      }
      case ClusterEvent.PodRemoved(PodRef pod) -> {
        told.remove(pod.uid());
        engine.accept(event);
      }
      default -> engine.accept(event);
    }
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
    told.put(pod.ref().uid(), policy);
    return policy.equals(pod.policy())
        ? upserted
        : new ClusterEvent.PodUpserted(pod.withPolicy(policy), upserted.partly());
  }

  /** The policy by which the engine places a pod; empty for the default. */
  static String policy(FedPod pod, ConfigCatalog catalog) {
    return heldPolicy(pod, catalog)
        .map(held -> held.policy().orElse(""))
        .orElseGet(() -> isParkedByABinding(pod, catalog) ? "" : pod.policy());
  }

  /** Forging the annotation gains nothing: a pod may as well name no policy. */
  private static boolean isParkedByABinding(FedPod pod, ConfigCatalog catalog) {
    return AppliedFields.of(pod.annotations()).byBinding(BindingField.SCHEDULING_POLICY)
        && catalog.policy(pod.policy()).flatMap(catalog::obstacle).isPresent();
  }

  /** The policy that a binding decides for a pod of the API server, in spite of its annotations. */
  static Optional<HeldPolicy> heldPolicy(FedPod pod, ConfigCatalog catalog) {
    return catalog.heldPolicy(
        pod.subject(), AppliedFields.of(pod.annotations()).by(BindingField.SCHEDULING_POLICY));
  }

  private void follow() {
    ConfigCatalog seen = catalog.get();
    while (!closed) {
      try {
        Thread.sleep(LOOK_EVERY);
        ConfigCatalog now = catalog.get();
        if (!now.equals(seen)) {
          seen = now;
          tellAgain(now);
        }
      } catch (InterruptedException e) {
        return;
      } catch (RuntimeException e) {
        LOG.error("Enforcing the policies of bindings on pods failed; trying again", e);
      }
    }
  }

  /** The feed's own order is kept: it stands still while a pod is reported again. */
  private void tellAgain(ConfigCatalog now) {
    feed.pods()
        .filter(pod -> differs(pod, now))
        .forEach(pod -> feed.tellPodAgain(pod.ref().namespace(), pod.ref().name()));
  }

  private boolean differs(FedPod pod, ConfigCatalog now) {
    String before = told.get(pod.ref().uid());
    return before != null && !before.equals(policy(pod, now));
  }
}
