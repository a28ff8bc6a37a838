package io.berth.demo.restart;

import io.berth.demo.cluster.BerthProcess;
import io.berth.demo.cluster.Repeated;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The maximum heap usage that any of the replicas reports, sampled every second. */
final class HeapWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HeapWatch.class);
  private static final String HEAP = "jvm_memory_used_bytes{area=\"heap\"";
  private static final Duration EVERY = Duration.ofSeconds(1);

  private final List<BerthProcess> replicas;
  private final AtomicLong most = new AtomicLong();
  private final Repeated looking;

  HeapWatch(List<BerthProcess> replicas) {
    this.replicas = List.copyOf(replicas);
    this.looking = new Repeated("heap-watch", EVERY, this::look);
  }

  long mostBytes() {
    return most.get();
  }

  @Override
  public void close() {
    looking.close();
  }

  private void look() {
    for (BerthProcess replica : replicas) {
      try {
        double used = replica.gauge(HEAP);
        most.accumulateAndGet((long) used, Math::max);
      } catch (IOException e) {
        LOG.debug("{} does not respond, because it is being restarted", replica.name(), e);
      }
    }
  }
}
