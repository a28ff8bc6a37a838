package io.berth.demo.load;

import io.berth.demo.cluster.Patience;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A measurement of how fast a scheduler binds pending pods, on any API server. */
public final class SchedulerRun {
  private static final Duration BINDING_PATIENCE = Duration.ofMinutes(10);
  private static final Duration EVENT_PATIENCE = Duration.ofMinutes(1);
  private static final Duration EVENT_POLL = Duration.ofMillis(250);
  private static final int EVENT_PAGE = 500;

  /** Starts the scheduler, or does nothing if it is started otherwise. */
  @FunctionalInterface
  public interface Start {
    /** Starts the scheduler and returns a handle on it. */
    Running start() throws Exception;
  }

  /**
   * A running scheduler.
   *
   * @param launched time at which its process was started; null if the user starts it
   * @param leads time at which it became leader; null if unknown
   * @param stop stops the scheduler
   */
  public record Running(@Nullable Instant launched, @Nullable Instant leads, AutoCloseable stop) {}

  private final KubernetesClient client;
  private final InstantSource clock;

  public SchedulerRun(KubernetesClient client, InstantSource clock) {
    this.client = client;
    this.clock = clock;
  }

  /**
   * Creates nodes and pods, waits until this process is idle, starts the scheduler, waits for the
   * last binding and the Scheduled events, and removes everything again.
   */
  public LoadReport measure(String schedulerName, int nodes, int pods, Start start)
      throws Exception {
    ClusterLoad load = new ClusterLoad(client, "load-" + Long.toString(clock.millis(), 36));
    load.createNamespace();
    try {
      load.createNodes(nodes);
      load.createPods(pods, schedulerName);
      try (BindingWatch watch = new BindingWatch(client, load.namespace(), clock)) {
        OwnCpu.awaitIdle();
        Running running = start.start();
        try {
          List<Instant> bound = watch.await(pods, BINDING_PATIENCE);
          int events = awaitEvents(load.namespace(), bound.size());
          Instant last = bound.isEmpty() ? clock.instant() : bound.getLast();
          Instant first = bound.isEmpty() ? last : bound.getFirst();
          return new LoadReport(
              schedulerName,
              nodes,
              pods,
              running.launched() == null
                  ? Optional.empty()
                  : Optional.of(Duration.between(running.launched(), first)),
              running.leads() == null ? first : running.leads(),
              bound,
              events,
              Duration.between(last, clock.instant()));
        } finally {
          running.stop().close();
        }
      }
    } finally {
      load.remove();
    }
  }

  private int awaitEvents(String namespace, int pods) throws InterruptedException {
    Patience.within(EVENT_PATIENCE, EVENT_POLL, () -> countScheduled(namespace) >= pods);
    return countScheduled(namespace);
  }

  private int countScheduled(String namespace) {
    int count = 0;
    String next = null;
    do {
      var options = new ListOptionsBuilder();
      options.withFieldSelector("reason=Scheduled").withLimit((long) EVENT_PAGE).withContinue(next);
      var page = client.v1().events().inNamespace(namespace).list(options.build());
      count += page.getItems().size();
      next = page.getMetadata().getContinue();
    } while (next != null && !next.isEmpty());
    return count;
  }
}
