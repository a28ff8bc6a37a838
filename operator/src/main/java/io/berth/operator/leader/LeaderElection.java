package io.berth.operator.leader;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Leader election among the replicas, based on a Lease.
 *
 * <p>Two rules prevent two replicas from leading at the same time. A candidate takes over a lease
 * only after it has observed no renewal for a whole lease duration <i>by its own clock</i>, so that
 * clock skew is harmless. And the leader's {@link Term}, which is checked before each write,
 * expires if it has not been renewed within the renew deadline. A watchdog notifies the listener of
 * that even while the renewing thread is stuck.
 */
public final class LeaderElection implements AutoCloseable {

  /** The Lease's annotation with the {@code host:port} of the leader's HTTP endpoints. */
  public static final String ADDRESS_ANNOTATION = "sched.cloud.ctrip.com/leader-address";

  private static final Logger LOG = LoggerFactory.getLogger(LeaderElection.class);

  private final LeaseRequests requests;
  private final LeaseRecord own;
  private final LeaseTimes times;
  private final LeaderListener listener;
  private final LongSupplier nanoTime;
  private final Thread thread;
  private final Thread watchdog;
  private final AtomicReference<@Nullable Term> term = new AtomicReference<>();

  private volatile boolean closed;
  private volatile @Nullable String holder;
  private volatile @Nullable String holderAddress;

  /** The latest lease from the watch; null once the election thread has processed it. */
  private final AtomicReference<@Nullable Heard> heard = new AtomicReference<>();

  private final Semaphore news = new Semaphore(0);
  private final AtomicBoolean fitnessInDoubt = new AtomicBoolean();

  // Accessed by the election thread alone.
  private final RivalLease rival = new RivalLease();
  private boolean ledOnce;

  /**
   * @param identity the unique name of this replica in the lease
   * @param address the {@code host:port} at which other replicas reach this one's HTTP endpoints
   */
  public LeaderElection(
      KubernetesClient client,
      String namespace,
      String name,
      String identity,
      String address,
      LeaseTimes times,
      LeaderListener listener) {
    this(client, namespace, name, identity, address, times, listener, System::nanoTime);
  }

  LeaderElection(
      KubernetesClient client,
      String namespace,
      String name,
      String identity,
      String address,
      LeaseTimes times,
      LeaderListener listener,
      LongSupplier nanoTime) {
    this.own = new LeaseRecord(namespace, name, identity, address, times.leaseDuration());
    this.requests = new LeaseRequests(client, own, listener::dataWentBack);
    this.times = times;
    this.listener = listener;
    this.nanoTime = nanoTime;
    this.watchdog = Thread.ofPlatform().name("leader-watchdog").daemon().unstarted(this::watch);
    this.thread = Thread.ofPlatform().name("leader-election").daemon().unstarted(this::run);
  }

  /** A lease that the watch reported, and the time of the report. */
  private record Heard(Lease lease, long at) {}

  /**
   * Receives a change of the lease from the watch; does not block. With the watch, a released lease
   * is acquired at once, and a renewal counts from the time of its event; without it, both are
   * detected by reading the lease once per retry period.
   */
  public void leaseChanged(Lease lease) {
    heard.set(new Heard(lease, nanoTime.getAsLong()));
    news.release();
  }

  /** Makes this replica check at once whether it is fit to lead; does not block. */
  public void checkFitness() {
    fitnessInDoubt.set(true);
    news.release();
  }

  /** Starts to run for leadership; the listener is notified of the outcome. */
  public void start() {
    thread.start();
    watchdog.start();
  }

  /** Returns whether this replica leads. */
  public boolean isLeading() {
    Term current = term.get();
    return current != null && current.holds();
  }

  /** The identity of the replica that held the lease when it was last seen. */
  public Optional<String> holder() {
    return Optional.ofNullable(holder);
  }

  /** The {@code host:port} of the leader's HTTP endpoints when the lease was last seen. */
  public Optional<String> holderAddress() {
    return Optional.ofNullable(holderAddress);
  }

  /** Stops leading and releases the lease, so that another replica takes over without delay. */
  @Override
  public void close() {
    closed = true;
    thread.interrupt();
    try {
      thread.join(times.renewDeadline());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      watchdog.interrupt();
    }
  }

  private void run() {
    while (!closed) {
      pause(attemptSafely());
    }
    Term ending = term.getAndSet(null);
    if (ending != null) {
      ending.end();
      LOG.info("No longer leading: shutting down and releasing lease {}", lease());
      listener.stoppedLeading(ending);
    }
    Thread
        .interrupted(); // close() interrupts this thread; the release below must not be interrupted
    if (ledOnce) {
      release();
    }
  }

  /** Makes one attempt. A bug in it, or in the listener, must not end the election. */
  private Attempt attemptSafely() {
    long attemptAt = nanoTime.getAsLong();
    try {
      Optional<String> unfit = listener.unfit();
      Attempt attempt = unfit.isPresent() ? standBack(unfit.get()) : attempt(this::acquireOrRenew);
      switch (attempt) {
        case HELD -> held(attemptAt);
        case HELD_BY_OTHER -> lose(term.get(), "another replica holds it");
        case UNKNOWN -> stopIfOver();
      }
      return attempt;
    } catch (RuntimeException bug) {
      LOG.error(
          "Lease {}: an attempt failed; retrying. This is a bug in Berth; please report it",
          lease(),
          bug);
      return Attempt.UNKNOWN;
    }
  }

  /** Releases the lease if this replica holds it; otherwise only reads who leads. */
  private Attempt standBack(String why) {
    Term current = term.get();
    if (current != null && stopLeading(current, why)) {
      release();
      return Attempt.UNKNOWN;
    }
    return attempt(this::look);
  }

  private Attempt look() {
    Lease lease = requests.read();
    if (lease != null && !LeaseRecord.holder(lease).isEmpty()) {
      heldBy(LeaseRecord.holder(lease), LeaseRecord.addressIn(lease));
    }
    return Attempt.UNKNOWN;
  }

  private void held(long attemptAt) {
    Term current = term.get();
    listener.renewed(Duration.ofNanos(nanoTime.getAsLong() - attemptAt));
    if (current != null && current.renew(attemptAt)) {
      return;
    }
    stopIfOver();
    if (term.get() != null) {
      return; // ended by its owner, which is about to close this election too
    }
    Term begun = new Term(times.renewDeadline(), nanoTime, attemptAt);
    if (begun.holds()) {
      ledOnce = true;
      term.set(begun);
      LOG.info("Leading: acquired lease {} as {}", lease(), own.identity());
      listener.startedLeading(begun);
    }
  }

  /** Ends a term that was not renewed in time, whatever state the election thread is in. */
  private void watch() {
    while (!closed) {
      stopIfOver();
      Term current = term.get();
      Duration left = current == null ? times.retryPeriod() : current.left();
      Duration pause = left.compareTo(times.retryPeriod()) < 0 ? left : times.retryPeriod();
      try {
        Thread.sleep(Duration.ofMillis(Math.max(1, pause.toMillis())));
      } catch (InterruptedException e) {
        return; // closed
      }
    }
  }

  private void stopIfOver() {
    Term current = term.get();
    if (current != null && current.hasRunOut()) {
      lose(current, "it could not be renewed for " + times.renewDeadline().toSeconds() + " s");
    }
  }

  private enum Attempt {
    HELD,
    HELD_BY_OTHER,
    UNKNOWN
  }

  private Attempt attempt(Callable<Attempt> call) {
    try {
      return LeaseRequests.within(patience(), call);
    } catch (TimeoutException e) {
      LOG.warn("Lease {}: {}; retrying", lease(), e.getMessage());
    } catch (KubernetesClientException e) {
      if (e.getCode() == HttpURLConnection.HTTP_CONFLICT) {
        LOG.debug("Lease {} was changed by another client", lease());
      } else {
        LOG.warn("Lease {} could not be read or written: {}; retrying", lease(), e.getMessage());
      }
    } catch (InterruptedException e) {
      closed = true;
    }
    return Attempt.UNKNOWN;
  }

  /**
   * Renews the lease with one request if no other client has written it, as client-go does;
   * otherwise reads it first, and takes it over if it is free or has expired.
   */
  private Attempt acquireOrRenew() {
    if (isLeading() && requests.renew()) {
      return Attempt.HELD;
    }
    Lease lease = requests.read();
    if (lease != null && !LeaseRecord.holder(lease).isEmpty() && !own.isHolder(lease)) {
      long now = nanoTime.getAsLong();
      rival.seen(lease, now);
      heldBy(LeaseRecord.holder(lease), LeaseRecord.addressIn(lease));
      if (rival.left(now).isPositive()) {
        return Attempt.HELD_BY_OTHER;
      }
    }
    requests.take(lease);
    heldBy(own.identity(), own.address());
    return Attempt.HELD;
  }

  private String lease() {
    return own.namespace() + "/" + own.name();
  }

  private void release() {
    try {
      LeaseRequests.within(
          times.retryPeriod(),
          () -> {
            requests.giveBack();
            return Attempt.UNKNOWN;
          });
    } catch (TimeoutException | KubernetesClientException e) {
      LOG.warn(
          "Lease {} could not be released: {}; another replica takes over when it expires",
          lease(),
          e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void lose(@Nullable Term lost, String why) {
    if (lost != null && stopLeading(lost, why)) {
      listener.lostLease();
    }
  }

  /** Ends the term, unless the other of the two threads has already ended it. */
  private boolean stopLeading(Term ending, String why) {
    if (!term.compareAndSet(ending, null)) {
      return false;
    }
    ending.end();
    LOG.warn("No longer leading: lease {}: {}", lease(), why);
    listener.stoppedLeading(ending);
    return true;
  }

  private void heldBy(String identity, @Nullable String address) {
    holder = identity;
    holderAddress = address;
  }

  /**
   * Returns the time limit of an attempt. For a leader it is at most half the renew deadline, so
   * that a dead connection leaves time for another attempt.
   */
  private Duration patience() {
    Term current = term.get();
    if (current == null) {
      return times.renewDeadline();
    }
    Duration half = times.renewDeadline().dividedBy(2);
    return current.left().compareTo(half) < 0 ? current.left() : half;
  }

  /**
   * Waits for the next attempt: a retry period, but no longer than the current term or the other
   * replica's lease lasts, and not at all once the lease has been released.
   */
  private void pause(Attempt last) {
    long end = nanoTime.getAsLong() + times.retryPeriod().toNanos();
    try {
      while (true) {
        long now = nanoTime.getAsLong();
        long left = end - now;
        Term current = term.get();
        if (current != null) {
          left = Math.min(left, current.left().toNanos());
        } else if (last == Attempt.HELD_BY_OTHER) {
          left = Math.min(left, rival.left(now).toNanos());
        }
        if (!news.tryAcquire(Math.max(0, left), TimeUnit.NANOSECONDS)
            || fitnessInDoubt.getAndSet(false)
            || wasGivenBack()) {
          return;
        }
      }
    } catch (InterruptedException e) {
      closed = true;
    }
  }

  /**
   * Processes the latest lease from the watch; returns whether this replica can acquire it at once.
   */
  private boolean wasGivenBack() {
    Heard change = heard.getAndSet(null);
    if (change == null || own.isHolder(change.lease())) {
      return false;
    }
    if (LeaseRecord.holder(change.lease()).isEmpty()) {
      return term.get() == null;
    }
    rival.seen(change.lease(), change.at());
    return false;
  }
}
