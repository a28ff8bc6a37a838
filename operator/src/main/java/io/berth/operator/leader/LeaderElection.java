package io.berth.operator.leader;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Elects one leader among the replicas by a Lease.
 *
 * <p>Two rules keep two replicas from leading at the same time. A candidate takes a lease over only
 * when it has seen no renewal for a whole lease duration <i>by its own clock</i>, so that clocks
 * that differ do no harm. And the leader stops as soon as it has not renewed for the renew
 * deadline, also when a request hangs: no request is waited for longer than the time that is left.
 */
public final class LeaderElection implements AutoCloseable {

  /** Annotation of the Lease: {@code host:port} where the leader answers HTTP. */
  public static final String ADDRESS_ANNOTATION = "sched.cloud.ctrip.com/leader-address";

  private static final Logger LOG = LoggerFactory.getLogger(LeaderElection.class);

  private final KubernetesClient client;
  private final String namespace;
  private final String name;
  private final String identity;
  private final String address;
  private final LeaseTimes times;
  private final LeaderListener listener;
  private final Thread thread;

  private volatile boolean closed;
  private volatile boolean leading;
  private volatile @Nullable String holder;
  private volatile @Nullable String holderAddress;

  // What the thread alone knows: the lease as last seen, and when (nanoTime) that version was first
  // seen.
  private @Nullable String seenVersion;
  private long seenAt;
  private long renewedAt;

  /**
   * @param identity names this replica in the lease; unique among them
   * @param address {@code host:port} where the other replicas reach this one's HTTP endpoints
   */
  public LeaderElection(
      KubernetesClient client,
      String namespace,
      String name,
      String identity,
      String address,
      LeaseTimes times,
      LeaderListener listener) {
    this.client = client;
    this.namespace = namespace;
    this.name = name;
    this.identity = identity;
    this.address = address;
    this.times = times;
    this.listener = listener;
    this.thread = Thread.ofPlatform().name("leader-election").daemon().unstarted(this::run);
  }

  /** Starts to stand for election; the listener hears of the outcome. */
  public void start() {
    thread.start();
  }

  /** Whether this replica leads. */
  public boolean isLeading() {
    return leading;
  }

  /** The identity of the replica that holds the lease, as last seen. */
  public Optional<String> holder() {
    return Optional.ofNullable(holder);
  }

  /** {@code host:port} of the leader's HTTP endpoints, as last seen. */
  public Optional<String> holderAddress() {
    return Optional.ofNullable(holderAddress);
  }

  /** Stops leading and gives the lease back, so that another replica takes over without waiting. */
  @Override
  public void close() {
    closed = true;
    thread.interrupt();
    try {
      thread.join(times.renewDeadline());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    while (!closed) {
      long attemptAt = System.nanoTime();
      Optional<String> unfit = listener.unfit();
      Attempt attempt = unfit.isPresent() ? standBack(unfit.get()) : attempt(attemptAt);
      switch (attempt) {
        case HELD -> {
          renewedAt = attemptAt;
          if (!leading) {
            leading = true;
            LOG.info("Leading: took lease {}/{} as {}", namespace, name, identity);
            listener.startedLeading();
          }
        }
        case HELD_BY_OTHER -> stopLeading("another replica holds it");
        case UNKNOWN -> {
          if (leading && !timeLeft().isPositive()) {
            stopLeading("it could not be renewed for " + times.renewDeadline().toSeconds() + " s");
          }
        }
      }
      pause();
    }
    boolean wasLeading = leading;
    if (wasLeading) {
      leading = false;
      LOG.info("No longer leading: shutting down, giving lease {}/{} back", namespace, name);
      listener.stoppedLeading();
    }
    Thread.interrupted(); // close() woke this thread; the release below must not trip over it
    if (wasLeading) {
      release();
    }
  }

  /** Gives up the lease if this replica holds it, and only looks who leads. */
  private Attempt standBack(String why) {
    if (leading) {
      stopLeading(why);
      release();
      return Attempt.UNKNOWN;
    }
    return attempt(this::look);
  }

  private Attempt look() {
    Lease lease = client.leases().inNamespace(namespace).withName(name).get();
    if (lease != null && lease.getSpec().getHolderIdentity() != null) {
      heldBy(lease.getSpec().getHolderIdentity(), addressIn(lease));
    }
    return Attempt.UNKNOWN;
  }

  private enum Attempt {
    HELD,
    HELD_BY_OTHER,
    UNKNOWN
  }

  private Attempt attempt(long now) {
    return attempt(() -> acquireOrRenew(now));
  }

  private Attempt attempt(Callable<Attempt> call) {
    try {
      return within(leading ? timeLeft() : times.renewDeadline(), call);
    } catch (TimeoutException e) {
      LOG.warn("Lease {}/{}: the API server did not answer in time; trying again", namespace, name);
    } catch (KubernetesClientException e) {
      if (e.getCode() == HttpURLConnection.HTTP_CONFLICT) {
        LOG.debug("Lease {}/{} changed meanwhile", namespace, name);
      } else {
        LOG.warn(
            "Lease {}/{} could not be read or written: {}; trying again",
            namespace,
            name,
            e.getMessage());
      }
    } catch (InterruptedException e) {
      closed = true;
    }
    return Attempt.UNKNOWN;
  }

  private Attempt acquireOrRenew(long now) {
    Lease lease = client.leases().inNamespace(namespace).withName(name).get();
    if (lease == null) {
      client.leases().inNamespace(namespace).resource(held(null)).create();
      heldBy(identity, address);
      return Attempt.HELD;
    }
    String current = Optional.ofNullable(lease.getSpec().getHolderIdentity()).orElse("");
    if (!current.isEmpty() && !current.equals(identity)) {
      String version = lease.getMetadata().getResourceVersion();
      if (!version.equals(seenVersion)) {
        seenVersion = version;
        seenAt = now;
      }
      heldBy(current, addressIn(lease));
      Duration lifetime =
          Duration.ofSeconds(
              Optional.ofNullable(lease.getSpec().getLeaseDurationSeconds()).orElse(0));
      if (Duration.ofNanos(now - seenAt).compareTo(lifetime) < 0) {
        return Attempt.HELD_BY_OTHER;
      }
    }
    client.leases().inNamespace(namespace).resource(held(lease)).update();
    heldBy(identity, address);
    return Attempt.HELD;
  }

  private Lease held(@Nullable Lease previous) {
    ZonedDateTime now = ZonedDateTime.now(ZoneOffset.UTC);
    if (previous == null) {
      return new LeaseBuilder()
          .withNewMetadata()
          .withNamespace(namespace)
          .withName(name)
          .addToAnnotations(ADDRESS_ANNOTATION, address)
          .endMetadata()
          .withNewSpec()
          .withHolderIdentity(identity)
          .withLeaseDurationSeconds((int) Math.max(1, times.leaseDuration().toSeconds()))
          .withAcquireTime(now)
          .withRenewTime(now)
          .withLeaseTransitions(0)
          .endSpec()
          .build();
    }
    boolean renewal = identity.equals(previous.getSpec().getHolderIdentity());
    int transitions = Optional.ofNullable(previous.getSpec().getLeaseTransitions()).orElse(0);
    return new LeaseBuilder(previous)
        .editMetadata()
        .addToAnnotations(ADDRESS_ANNOTATION, address)
        .endMetadata()
        .editSpec()
        .withHolderIdentity(identity)
        .withLeaseDurationSeconds((int) Math.max(1, times.leaseDuration().toSeconds()))
        .withAcquireTime(renewal ? previous.getSpec().getAcquireTime() : now)
        .withRenewTime(now)
        .withLeaseTransitions(renewal ? transitions : transitions + 1)
        .endSpec()
        .build();
  }

  private void release() {
    try {
      within(
          times.retryPeriod(),
          () -> {
            Lease lease = client.leases().inNamespace(namespace).withName(name).get();
            if (lease != null && identity.equals(lease.getSpec().getHolderIdentity())) {
              client
                  .leases()
                  .inNamespace(namespace)
                  .resource(
                      new LeaseBuilder(lease)
                          .editSpec()
                          .withHolderIdentity("")
                          .withLeaseDurationSeconds(1)
                          .endSpec()
                          .build())
                  .update();
            }
            return Attempt.UNKNOWN;
          });
    } catch (TimeoutException | KubernetesClientException e) {
      LOG.warn(
          "Lease {}/{} could not be given back: {}; another replica takes it over when it expires",
          namespace,
          name,
          e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void stopLeading(String why) {
    if (leading) {
      leading = false;
      LOG.warn("No longer leading: lease {}/{}: {}", namespace, name, why);
      listener.stoppedLeading();
    }
  }

  private void heldBy(String identity, @Nullable String address) {
    holder = identity;
    holderAddress = address;
  }

  private static @Nullable String addressIn(Lease lease) {
    var annotations = lease.getMetadata().getAnnotations();
    return annotations == null ? null : annotations.get(ADDRESS_ANNOTATION);
  }

  private Duration sinceRenewal() {
    return Duration.ofNanos(System.nanoTime() - renewedAt);
  }

  /** How long the leader may go on without another renewal; negative when it may not. */
  private Duration timeLeft() {
    return times.renewDeadline().minus(sinceRenewal());
  }

  private void pause() {
    Duration pause = times.retryPeriod();
    if (leading && timeLeft().compareTo(pause) < 0) {
      pause = timeLeft();
    }
    try {
      Thread.sleep(pause);
    } catch (InterruptedException e) {
      closed = true;
    }
  }

  private static Attempt within(Duration limit, Callable<Attempt> call)
      throws TimeoutException, InterruptedException {
    FutureTask<Attempt> task = new FutureTask<>(call);
    Thread.ofVirtual().name("lease-request").start(task);
    try {
      return task.get(Math.max(1, limit.toMillis()), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof KubernetesClientException failure) {
        throw failure;
      }
      throw new KubernetesClientException("lease request failed: " + e.getCause(), e.getCause());
    } finally {
      task.cancel(true);
    }
  }
}
