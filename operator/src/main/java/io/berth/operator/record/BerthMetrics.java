package io.berth.operator.record;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * Berth's metrics. Where the meaning is that of one of kube-scheduler's, so are the name, the
 * labels and the buckets, so that dashboards and alerts carry over; all others begin with {@code
 * berth_}.
 */
public final class BerthMetrics implements AutoCloseable {

  /** What came of an attempt to schedule a pod. */
  public enum Result {
    SCHEDULED("scheduled"),
    UNSCHEDULABLE("unschedulable"),
    ERROR("error");

    private final String label;

    Result(String label) {
      this.label = label;
    }
  }

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final String profile;
  private final JvmGcMetrics gc = new JvmGcMetrics();
  private final Map<Result, Timer> attempts = new EnumMap<>(Result.class);
  private final Map<Result, Counter> attemptCounts = new EnumMap<>(Result.class);
  private final Timer algorithm;
  private final Timer binding;
  private final DistributionSummary victims;
  private final Counter preemptions;
  private final DistributionSummary attemptsToSchedule;
  private final ConcurrentMap<String, Timer> sli = new ConcurrentHashMap<>();

  /**
   * @param profile the scheduler's name, as the label {@code profile}
   */
  public BerthMetrics(String profile) {
    this.profile = profile;
    new JvmMemoryMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    gc.bindTo(registry);
    for (Result result : Result.values()) {
      Tags tags = Tags.of("result", result.label, "profile", profile);
      attempts.put(
          result,
          timer(
              "scheduler.scheduling.attempt.duration",
              "Scheduling attempt latency (scheduling algorithm + binding)",
              tags,
              0.001,
              15));
      attemptCounts.put(
          result,
          Counter.builder("scheduler.schedule.attempts")
              .description("Number of attempts to schedule pods, by the result.")
              .tags(tags)
              .register(registry));
    }
    algorithm =
        timer(
            "scheduler.scheduling.algorithm.duration",
            "Scheduling algorithm latency",
            Tags.empty(),
            0.001,
            15);
    binding =
        timer(
            "berth.binding.duration",
            "From a decision to the API server's answer to its Binding",
            Tags.empty(),
            0.001,
            15);
    victims =
        DistributionSummary.builder("scheduler.preemption.victims")
            .description("Number of selected preemption victims")
            .serviceLevelObjectives(buckets(1, 7))
            .register(registry);
    preemptions =
        Counter.builder("scheduler.preemption.attempts")
            .description("Total preemption attempts in the cluster till now")
            .register(registry);
    attemptsToSchedule =
        DistributionSummary.builder("scheduler.pod.scheduling.attempts")
            .description("Number of attempts to successfully schedule a pod.")
            .serviceLevelObjectives(buckets(1, 5))
            .register(registry);
  }

  /** An attempt that has ended: for a placed pod when it is bound. */
  public void attempted(Result result, Duration took) {
    Objects.requireNonNull(attempts.get(result)).record(took);
    Objects.requireNonNull(attemptCounts.get(result)).increment();
  }

  /** The engine took this long for one pod. */
  public void decided(long nanos) {
    algorithm.record(Duration.ofNanos(nanos));
  }

  /** A Binding was answered well, this long after the decision. */
  public void bound(Duration took) {
    binding.record(took);
  }

  /**
   * A pod is bound.
   *
   * @param sinceQueued from the moment it could be tried for the first time, its gates open
   * @param attempts how many it took
   */
  public void scheduled(Duration sinceQueued, int attempts) {
    String label = attempts >= 16 ? "16+" : String.valueOf(attempts);
    sli.computeIfAbsent(
            label,
            counted ->
                timer(
                    "scheduler.pod.scheduling.sli.duration",
                    "E2e latency for a pod being scheduled, from the time the pod enters the"
                        + " scheduling queue",
                    Tags.of("attempts", counted),
                    0.01,
                    20))
        .record(sinceQueued);
    attemptsToSchedule.record(attempts);
  }

  /** Pods are evicted in favour of another. */
  public void preempted(int victimCount) {
    preemptions.increment();
    victims.record(victimCount);
  }

  /** A policy whose preemption is a dry run named pods that it would evict for another. */
  public void wouldEvict(int victimCount) {
    Counter.builder("berth.preemption.dry.run.victims")
        .description("Pods that would have been evicted by policies whose preemption is a dry run.")
        .register(registry)
        .increment(victimCount);
  }

  /** Pods were added to a queue because of an event, as kube-scheduler names both. */
  public void queued(String queue, String event, long pods) {
    Counter.builder("scheduler.queue.incoming.pods")
        .description("Number of pods added to scheduling queues by event and queue type.")
        .tags("queue", queue, "event", event)
        .register(registry)
        .increment((double) pods);
  }

  /** How many pods wait in a queue: active, backoff, unschedulable or gated. */
  public void pendingPods(String queue, Supplier<Number> count) {
    Gauge.builder("scheduler.pending.pods", count)
        .description("Number of pending pods, by the queue type.")
        .tags("queue", queue)
        .register(registry);
  }

  /** An admission request was answered. */
  public void webhook(String path, int status, Duration took) {
    timer(
            "berth.webhook.duration",
            "Admission requests, from their body to their answer",
            Tags.of("path", path, "status", String.valueOf(status)),
            0.0005,
            12)
        .record(took);
  }

  /** Counts something that has a name and labels: {@code key, value, key, value…}. */
  public void count(String name, String description, String... labels) {
    Counter.builder(name).description(description).tags(labels).register(registry).increment();
  }

  /** A count that somebody else keeps, read when metrics are. */
  public void counter(String name, String description, Supplier<Number> count) {
    FunctionCounter.builder(name, count, counted -> counted.get().doubleValue())
        .description(description)
        .register(registry);
  }

  /** A value that is read when metrics are. */
  public void gauge(String name, String description, Supplier<Number> value, String... labels) {
    Gauge.builder(name, value).description(description).tags(labels).register(registry);
  }

  /** All of them in Prometheus' text format. */
  public String page() {
    return registry.scrape();
  }

  public String profile() {
    return profile;
  }

  @Override
  public void close() {
    gc.close();
    registry.close();
  }

  private Timer timer(String name, String description, Tags tags, double first, int count) {
    Duration[] objectives =
        DoubleStream.of(buckets(first, count))
            .mapToObj(seconds -> Duration.ofNanos(Math.round(seconds * 1e9)))
            .toArray(Duration[]::new);
    return Timer.builder(name)
        .description(description)
        .tags(tags)
        .serviceLevelObjectives(objectives)
        .minimumExpectedValue(objectives[0])
        .maximumExpectedValue(objectives[objectives.length - 1])
        .register(registry);
  }

  /** Bucket limits as kube-scheduler has them: each twice the one before. */
  private static double[] buckets(double first, int count) {
    return IntStream.range(0, count).mapToDouble(i -> first * Math.pow(2, i)).toArray();
  }
}
