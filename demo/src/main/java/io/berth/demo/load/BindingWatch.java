package io.berth.demo.load;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Notes when each pod of a namespace is seen bound for the first time. */
public final class BindingWatch implements AutoCloseable {
  private final InstantSource clock;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Set<String> bound = new HashSet<>();
  private final List<Instant> times = new ArrayList<>();
  private final SharedIndexInformer<Pod> informer;

  public BindingWatch(KubernetesClient client, String namespace, InstantSource clock) {
    this.clock = clock;
    this.informer =
        client
            .pods()
            .inNamespace(namespace)
            .inform(
                new ResourceEventHandler<>() {
                  @Override
                  public void onAdd(Pod pod) {
                    see(pod);
                  }

                  @Override
                  public void onUpdate(Pod before, Pod pod) {
                    see(pod);
                  }

                  @Override
                  public void onDelete(Pod pod, boolean finalStateUnknown) {
                    see(pod);
                  }
                });
  }

  /**
   * Waits until so many pods are bound.
   *
   * @return the times at which pods were seen bound, ascending; fewer than asked for if {@code
   *     patience} ran out
   */
  public List<Instant> await(int pods, Duration patience) throws InterruptedException {
    lock.lock();
    try {
      long left = patience.toNanos();
      while (times.size() < pods && left > 0) {
        left = changed.awaitNanos(left);
      }
      return List.copyOf(times);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    informer.close();
  }

  private void see(Pod pod) {
    if (pod.getSpec().getNodeName() == null) {
      return;
    }
    lock.lock();
    try {
      if (bound.add(pod.getMetadata().getUid())) {
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
