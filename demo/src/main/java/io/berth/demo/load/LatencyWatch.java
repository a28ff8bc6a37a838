package io.berth.demo.load;

import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Measures how long each pod of a namespace waits, from when one watch reports it as created until
 * the same watch reports it as bound. Pods that changed while the watch was interrupted are not
 * measured, but counted.
 */
final class LatencyWatch implements AutoCloseable, PodWatch.Observer {
  private static final long NOT_MEASURED = -1;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Map<String, Long> pending = new HashMap<>();
  private final Map<String, Long> waited = new HashMap<>();
  private final PodWatch watch;

  /**
   * Starts the watch.
   *
   * @throws IOException if the pods cannot be watched
   */
  LatencyWatch(KubernetesClient client, String namespace) throws IOException, InterruptedException {
    this.watch = new PodWatch(client, namespace, "", this);
  }

  @Override
  public void seen(String name, String uid, String nodeName) {
    long now = System.nanoTime();
    lock.lock();
    try {
      if (nodeName.isEmpty()) {
        pending.putIfAbsent(uid, now);
      } else if (!waited.containsKey(uid)) {
        Long since = pending.remove(uid);
        waited.put(uid, since == null || since == NOT_MEASURED ? NOT_MEASURED : now - since);
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void interrupted() {
    lock.lock();
    try {
      pending.replaceAll((uid, since) -> NOT_MEASURED);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until a number of pods are bound.
   *
   * @return how long pods waited, in nanoseconds, ascending; without those that were not measured
   * @throws IOException if they are not bound when {@code patience} expires
   */
  List<Long> await(int pods, Duration patience) throws IOException, InterruptedException {
    lock.lock();
    try {
      long left = patience.toNanos();
      while (waited.size() < pods && left > 0) {
        left = changed.awaitNanos(left);
      }
      Optional<IOException> problem = watch.problem();
      if (waited.size() < pods) {
        throw new IOException(
            "only %d of %d pods were bound within %d s%s"
                .formatted(
                    waited.size(),
                    pods,
                    patience.toSeconds(),
                    problem.map(why -> ": " + why.getMessage()).orElse("")));
      }
      return waited.values().stream().filter(nanos -> nanos != NOT_MEASURED).sorted().toList();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() throws IOException {
    watch.close();
  }
}
