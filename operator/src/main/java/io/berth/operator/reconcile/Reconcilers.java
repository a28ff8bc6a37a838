package io.berth.operator.reconcile;

import io.berth.operator.api.LogKeys;
import io.berth.operator.policy.ServedPolicies;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.OperatorException;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The reconcilers for one term as leader. They start in the background, because pods are placed
 * whether or not statuses can be written.
 */
public final class Reconcilers implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Reconcilers.class);
  private static final int THREADS = 50;
  private static final Duration IDLE_THREAD = Duration.ofSeconds(30);

  private final Reconciliation reconciliation;
  private final ServedPolicies served;
  private final Thread nudger;
  private final Thread repairer;

  // Guarded by this.
  private final KubernetesClient client;
  private @Nullable Operator operator;
  private volatile boolean closed;

  /**
   * Creates the reconcilers without starting them.
   *
   * @param client a client that writes only while the term lasts; the reconcilers close it
   * @param served the policies that the engine serves
   */
  public Reconcilers(
      Reconciliation reconciliation, KubernetesClient client, ServedPolicies served) {
    this.reconciliation = reconciliation;
    this.client = client;
    this.served = served;
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
    served.onChange(reconciliation::nudgePolicy);
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
    reconciliation.reconcilers().forEach(reconciler -> register(started, reconciler));
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
    Optional<HasMetadata> missed = reconciliation.missed();
    if (missed.isEmpty()) {
      return;
    }
    LogKeys.object(missed.get())
        .warn(LOG)
        .accept(
            ("%s %s changed, but its status reconciler was not notified: the connection of its"
                    + " watch was lost silently; reopening the watches of all status reconcilers")
                .formatted(missed.get().getKind(), ResourceID.fromResource(missed.get())));
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

  /** Schedules status updates after changes. */
  private void followCatalog() {
    while (!closed) {
      try {
        Thread.sleep(Reconciliation.SETTLE);
        reconciliation.changed().forEach(reconciliation::nudge);
      } catch (InterruptedException e) {
        return;
      } catch (RuntimeException e) {
        if (closed) {
          LOG.debug("Following the configuration ended: {}", e.getMessage());
        } else {
          LOG.error("Following the configuration failed; retrying", e);
        }
      }
    }
  }

  private void repair() {
    while (!closed) {
      try {
        Thread.sleep(Reconciliation.REPAIR_EVERY);
        replaceSilentWatches();
        reconciliation.repair();
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
    return reconciliation.unrenderedPods();
  }

  private static <P extends CustomResource<?, ?>> void register(
      Operator operator, StatusReconciler<P, ?> reconciler) {
    JitteredRetry retry = new JitteredRetry(Reconciliation.RETRIES, new SecureRandom());
    operator.register(
        reconciler,
        settings -> settings.withRetry(retry).withGenerationAware(true).withFieldManager("berth"));
  }
}
