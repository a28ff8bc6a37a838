package io.berth.demo.load;

import io.berth.demo.cluster.Patience;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A measurement of how fast a scheduler binds pods, on any API server: pods that were pending when
 * it started, then pods that are created at steady rates, then pods that are created as fast as the
 * API server takes them. Claims for devices exist before the pods of each part. It has then run for
 * minutes, so the last part measures a warm scheduler.
 */
public final class SchedulerRun {
  private static final Duration BINDING_PATIENCE = Duration.ofMinutes(10);
  private static final Duration EVENT_PATIENCE = Duration.ofMinutes(1);
  private static final Duration EVENT_POLL = Duration.ofMillis(250);
  private static final int EVENT_PAGE = 500;

  /** The time without pods between two parts, so that what the first left to do does not count. */
  private static final Duration REST = Duration.ofSeconds(3);

  /** Starts a scheduler. */
  @FunctionalInterface
  public interface Start {
    /** Starts the scheduler for the pods of a load and returns a handle on it. */
    Running start(ClusterLoad load) throws Exception;
  }

  /**
   * A running scheduler.
   *
   * @param launched time at which its process was started; empty if the user starts it
   * @param process its process; empty if the user starts it
   * @param stop stops the scheduler
   */
  public record Running(
      Optional<Instant> launched, Optional<ProcessHandle> process, AutoCloseable stop) {

    Optional<Duration> cpu() {
      return process.flatMap(each -> new ProcessCost(each).cpu());
    }
  }

  /**
   * The size of a measurement.
   *
   * @param nodes the number of nodes
   * @param pods the number of pods that are pending at the start, and that are created at once at
   *     the end
   * @param steady how long pods are created at each steady rate
   * @param rates the steady rates, in pods per second
   * @param devicesPerNode the number of devices of a node, of which each pod claims one; 0 for pods
   *     without claims
   */
  public record Size(
      int nodes, int pods, Duration steady, List<Integer> rates, int devicesPerNode) {

    /** Returns the largest number of pods that exist at the same time. */
    public int mostPods() {
      int mostPerSecond = rates.stream().mapToInt(Integer::intValue).max().orElse(0);
      return Math.max(pods, Math.toIntExact(mostPerSecond * steady.toSeconds()));
    }
  }

  private final KubernetesClient client;
  private final InstantSource clock;

  public SchedulerRun(KubernetesClient client, InstantSource clock) {
    this.client = client;
    this.clock = clock;
  }

  /**
   * Creates nodes and pods, waits until this process is idle, starts the scheduler, and measures.
   * Removes everything again.
   *
   * @throws IOException if pods are not bound within 10 minutes, or have no device of their own
   */
  public LoadReport measure(String schedulerName, Size size, Start start) throws Exception {
    ClusterLoad load =
        new ClusterLoad(client, "load-" + Long.toString(clock.millis(), 36), size.devicesPerNode());
    load.createNamespace();
    try {
      load.createNodes(size.nodes());
      load.createClaims("pending", size.pods());
      load.createPods("pending", size.pods(), schedulerName);
      try (BindingWatch watch = new BindingWatch(client, load.namespace(), clock)) {
        OwnCpu.awaitIdle();
        Running running = start.start(load);
        try {
          LoadReport.Queue cold = pending(load, watch, running, size.pods());
          load.requireDistinctDevices(size.pods());
          List<SteadyRate> steady = new ArrayList<>();
          for (int rate : size.rates()) {
            steady.add(steady(load, running, schedulerName, rate, size.steady()));
            load.requireDistinctDevices(steady.getLast().pods());
          }
          LoadReport.Queue warm = created(load, running, schedulerName, size.pods());
          load.requireDistinctDevices(size.pods());
          return new LoadReport(
              schedulerName,
              size.nodes(),
              running.launched().map(launched -> Duration.between(launched, cold.first())),
              cold,
              steady,
              warm,
              running.process().isPresent()
                  ? new ProcessCost(running.process().get()).peakBytes()
                  : OptionalLong.empty());
        } finally {
          running.stop().close();
        }
      }
    } finally {
      load.remove();
    }
  }

  /** Measures the pods that were pending when the scheduler was started. */
  private LoadReport.Queue pending(ClusterLoad load, BindingWatch watch, Running running, int pods)
      throws IOException, InterruptedException {
    List<Instant> bound = watch.await(pods, BINDING_PATIENCE);
    requireAll(bound.size(), pods);
    int events = awaitEvents(load.namespace(), pods);
    return new LoadReport.Queue(
        bound.getFirst(),
        bound,
        pods,
        events,
        Duration.between(bound.getLast(), clock.instant()),
        running.cpu());
  }

  /** Measures pods that are created as fast as the API server takes them. */
  private LoadReport.Queue created(
      ClusterLoad load, Running running, String schedulerName, int pods) throws Exception {
    prepare(load, "warm", pods);
    try (BindingWatch watch = new BindingWatch(client, load.namespace(), clock)) {
      Optional<Duration> before = running.cpu();
      Instant first = clock.instant();
      load.createPods("warm", pods, schedulerName);
      List<Instant> bound = watch.await(pods, BINDING_PATIENCE);
      requireAll(bound.size(), pods);
      int events = awaitEvents(load.namespace(), pods);
      return new LoadReport.Queue(
          first,
          bound,
          pods,
          events,
          Duration.between(bound.getLast(), clock.instant()),
          between(before, running.cpu()));
    }
  }

  /** Measures how long pods wait that are created at a steady rate. */
  private SteadyRate steady(
      ClusterLoad load, Running running, String schedulerName, int rate, Duration time)
      throws Exception {
    int pods = Math.toIntExact(rate * time.toSeconds());
    String prefix = "at-" + rate;
    prepare(load, prefix, pods);
    try (LatencyWatch watch = new LatencyWatch(client, load.namespace())) {
      Optional<Duration> before = running.cpu();
      double created = load.createPodsAt(rate, prefix, pods, schedulerName);
      List<Long> waited = watch.await(pods, BINDING_PATIENCE);
      awaitEvents(load.namespace(), pods);
      return new SteadyRate(rate, created, waited, pods, between(before, running.cpu()));
    }
  }

  /**
   * Deletes the pods and events of the last part, creates the claims of the next, and waits until
   * nothing is left to do.
   */
  private void prepare(ClusterLoad load, String prefix, int pods)
      throws IOException, InterruptedException {
    load.removePods();
    load.createClaims(prefix, pods);
    client.v1().events().inNamespace(load.namespace()).delete();
    OwnCpu.awaitIdle();
    Thread.sleep(REST);
  }

  private static Optional<Duration> between(Optional<Duration> before, Optional<Duration> after) {
    return before.flatMap(start -> after.map(end -> end.minus(start)));
  }

  private static void requireAll(int bound, int pods) throws IOException {
    if (bound < pods) {
      throw new IOException(
          "only %d of %d pods were bound within %d s: see the log of the scheduler"
              .formatted(bound, pods, BINDING_PATIENCE.toSeconds()));
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
