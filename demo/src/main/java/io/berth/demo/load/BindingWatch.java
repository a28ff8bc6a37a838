package io.berth.demo.load;

import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Records when each pod of a namespace is first observed as bound. It watches bound pods only. */
public final class BindingWatch implements AutoCloseable {
  private final InstantSource clock;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Set<String> bound = new HashSet<>();
  private final List<Instant> times = new ArrayList<>();
  private final PodWatch watch;

  /**
   * Starts the watch. No pod may be bound yet.
   *
   * @throws IOException if the pods cannot be watched
   */
  public BindingWatch(KubernetesClient client, String namespace, InstantSource clock)
      throws IOException, InterruptedException {
    this.clock = clock;
    this.watch =
        new PodWatch(client, namespace, "spec.nodeName!=", (name, uid, nodeName) -> see(uid));
  }

  /**
   * Waits until a number of pods are bound.
   *
   * @return the times at which pods were observed as bound, ascending; fewer than {@code pods} if
   *     {@code patience} expired
   * @throws IOException if {@code patience} expired while the watch was broken
   */
  public List<Instant> await(int pods, Duration patience) throws IOException, InterruptedException {
    lock.lock();
    try {
      long left = patience.toNanos();
      while (times.size() < pods && left > 0) {
        left = changed.awaitNanos(left);
      }
      Optional<IOException> problem = watch.problem();
      if (times.size() < pods && problem.isPresent()) {
        throw problem.get();
      }
      return List.copyOf(times);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() throws IOException {
    watch.close();
  }

  private void see(String uid) {
    lock.lock();
    try {
      if (bound.add(uid)) {
        times.add(clock.instant());
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  static double seconds(Duration duration) {
    return duration.toNanos() / (double) TimeUnit.SECONDS.toNanos(1);
  }
}
