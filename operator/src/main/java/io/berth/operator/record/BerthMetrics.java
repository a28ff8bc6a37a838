package io.berth.operator.record;

import io.berth.engine.api.GaugeReading;
import io.berth.engine.api.GroupState;
import io.berth.engine.api.QueueState;
import io.berth.engine.api.ShadowState;
import io.berth.engine.cards.CardTotals;
import io.berth.engine.model.GroupDialect;
import io.berth.engine.state.Gauge.Reading;
import io.berth.operator.devices.DeviceCounts;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Berth's metrics. Metrics with the same meaning as in kube-scheduler use its names, labels and
 * buckets, so that dashboards and alerts can be reused; all others start with {@code berth_}.
 */
public final class BerthMetrics implements AutoCloseable {

  /** The result of an attempt to schedule a pod. */
  public enum Result {
    SCHEDULED("scheduled"),
    UNSCHEDULABLE("unschedulable"),
    ERROR("error");

    private final String label;

    Result(String label) {
      this.label = label;
    }
  }

  private record Profiled(String profile, Result result) {}

  /** The label values for the ranges of {@link CardTotals#freeRange}. */
  private static final List<String> FREE_RANGES =
      List.of("0", "1-249", "250-499", "500-749", "750-999", "1000");

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final JvmGcMetrics gc = new JvmGcMetrics();
  private final Map<Profiled, Timer> attempts = new HashMap<>();
  private final Map<Profiled, Counter> attemptCounts = new HashMap<>();
  private final Timer algorithm;
  private final Timer binding;
  private final Timer leaseRenewal;
  private final DistributionSummary victims;
  private final Counter preemptions;
  private final DistributionSummary attemptsToSchedule;
  private final MultiGauge waterLevels;
  private final MultiGauge waterModes;
  private final MultiGauge measuredNodes;
  private final MultiGauge groupRows;
  private final BerthMetricsOfQueues tenantQueueRows;
  private final BerthMetricsOfShadows shadowRows;
  private final MultiGauge groupPods;
  private final MultiGauge gpuCardsByFree;
  private final MultiGauge gpuCards;
  private final MultiGauge devices;
  private final MultiGauge allocatedDevices;
  private final MultiGauge devicesGivenTwice;
  private final MultiGauge countedNodes;
  private volatile Supplier<CardTotals> cardTotals = CardTotals::none;
  private volatile Supplier<DeviceCounts> deviceCounts = () -> DeviceCounts.NONE;
  private volatile Supplier<Map<String, Long>> nodesWithCountedDevices = Map::of;
  private volatile List<GaugeReading> gaugeReadings = List.of();
  private volatile List<GroupState> groupReports = List.of();
  private volatile List<QueueState> queueStates = List.of();
  private volatile List<ShadowState> shadowStates = List.of();
  private final ConcurrentMap<String, Timer> sli = new ConcurrentHashMap<>();

  /**
   * @param profiles the names of the schedulers, which label the metrics of their pods
   */
  public BerthMetrics(List<String> profiles) {
    new JvmMemoryMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    gc.bindTo(registry);
    for (String profile : profiles) {
      for (Result result : Result.values()) {
        Profiled key = new Profiled(profile, result);
        attempts.put(key, timer(Metric.ATTEMPT_DURATION, 0.001, 15, result.label, profile));
        attemptCounts.put(key, counter(Metric.SCHEDULE_ATTEMPTS, result.label, profile));
      }
    }
    algorithm = timer(Metric.ALGORITHM_DURATION, 0.001, 15);
    binding = timer(Metric.BINDING_DURATION, 0.001, 15);
    leaseRenewal = timer(Metric.LEASE_RENEWAL, 0.001, 14);
    victims = summary(Metric.PREEMPTION_VICTIMS, buckets(1, 7));
    preemptions = counter(Metric.PREEMPTION_ATTEMPTS);
    waterLevels = rows(Metric.WATER_LEVEL);
    waterModes = rows(Metric.WATER_LEVEL_PACKING);
    measuredNodes = rows(Metric.MEASURED_NODES);
    groupRows = rows(Metric.GROUPS);
    tenantQueueRows = new BerthMetricsOfQueues(this::rows);
    shadowRows = new BerthMetricsOfShadows(this::rows);
    groupPods = rows(Metric.GROUP_PODS);
    gpuCardsByFree = rows(Metric.GPU_CARDS);
    gpuCards = rows(Metric.GPU_CARD_MILLI_USED);
    devices = rows(Metric.DEVICES);
    allocatedDevices = rows(Metric.DEVICES_ALLOCATED);
    devicesGivenTwice = rows(Metric.DEVICES_GIVEN_TWICE);
    countedNodes = rows(Metric.NODES_WITH_COUNTED_DEVICES);
    attemptsToSchedule = summary(Metric.SCHEDULING_ATTEMPTS, buckets(1, 5));
    for (Metric metric : Metric.values()) {
      if (metric.type() == Metric.Type.COUNTER
          && metric.labels().isEmpty()
          && metric != Metric.EVENTS_SUPPRESSED) { // which is read when metrics are collected
        counter(metric);
      }
    }
    startAtZero(Metric.FOREIGN_BINDINGS, profiles);
    startAtZero(
        Metric.GROUP_STATUS_FAILURES,
        Stream.of(GroupDialect.values()).map(GroupDialect::label).toList());
  }

  /**
   * Exports a counter with one label at 0 for these values. An alert on an increase misses the
   * first one of a series that did not exist before.
   */
  public void startAtZero(Metric metric, Collection<String> values) {
    values.forEach(value -> counter(metric, value));
  }

  /**
   * Records a completed attempt to schedule a pod; for a placed pod, when it is bound.
   *
   * @param profile the name of the pod's scheduler, one of those that Berth serves
   */
  public void attempted(String profile, Result result, Duration took) {
    Profiled key = new Profiled(profile, result);
    Objects.requireNonNull(attempts.get(key)).record(took);
    Objects.requireNonNull(attemptCounts.get(key)).increment();
  }

  /** Records the time that the engine took for one pod. */
  public void decided(long nanos) {
    algorithm.record(Duration.ofNanos(nanos));
  }

  /** Records a successful Binding and the time since its decision. */
  public void bound(Duration took) {
    binding.record(took);
  }

  /** Records the duration of a successful request to acquire or renew the Lease. */
  public void leaseRenewed(Duration took) {
    leaseRenewal.record(took);
  }

  /**
   * Records that a pod was bound.
   *
   * @param sinceQueued the time since it could first be scheduled, with its scheduling gates
   *     removed
   * @param attempts the number of attempts that it took
   */
  public void scheduled(Duration sinceQueued, int attempts) {
    String label = attempts >= 16 ? "16+" : String.valueOf(attempts);
    sli.computeIfAbsent(label, counted -> timer(Metric.SLI_DURATION, 0.01, 20, counted))
        .record(sinceQueued);
    attemptsToSchedule.record(attempts);
  }

  /** Records a preemption with the number of its victims. */
  public void preempted(int victimCount) {
    preemptions.increment();
    victims.record(victimCount);
  }

  /** Records the victims that a policy with preemption mode DryRun would have evicted for a pod. */
  public void wouldEvict(int victimCount) {
    counter(Metric.PREEMPTION_DRY_RUN_VICTIMS).increment(victimCount);
  }

  /**
   * Records pods that were added to a queue because of an event, with kube-scheduler's names for
   * both.
   */
  public void queued(String queue, String event, long pods) {
    counter(Metric.QUEUE_INCOMING_PODS, queue, event).increment((double) pods);
  }

  /** Registers the gauge of pods in a queue: active, backoff, unschedulable or gated. */
  public void pendingPods(String queue, Supplier<Number> count) {
    gauge(Metric.PENDING_PODS, count, queue);
  }

  /** Records a response to an admission request. */
  public void webhook(String path, int status, Duration took) {
    timer(Metric.WEBHOOK_DURATION, 0.0005, 12, path, String.valueOf(status)).record(took);
  }

  /**
   * Records a completed request to an extender.
   *
   * @param error the reason why its response could not be used; empty if it could
   */
  public void extender(String extender, String verb, Optional<String> error, Duration took) {
    timer(Metric.EXTENDER_DURATION, 0.001, 15, extender, verb).record(took);
    error.ifPresent(reason -> count(Metric.EXTENDER_ERRORS, extender, verb, reason));
  }

  /**
   * Increments a counter by one.
   *
   * @param labels the values of the metric's labels, in order
   */
  public void count(Metric metric, String... labels) {
    count(metric, 1, labels);
  }

  /** Increments a counter by the given number. */
  public void count(Metric metric, int times, String... labels) {
    counter(metric, labels).increment(times);
  }

  /** Registers a counter whose value is read when metrics are collected. */
  public void counter(Metric metric, Supplier<Number> count) {
    FunctionCounter.builder(
            name(metric, Metric.Type.COUNTER), count, counted -> counted.get().doubleValue())
        .description(metric.description())
        .register(registry);
  }

  /** Sets the readings of policies' gauges; series of scopes without a reading are removed. */
  public void gauges(List<GaugeReading> readings) {
    gaugeReadings = List.copyOf(readings);
  }

  private void refreshGauges(List<GaugeReading> readings) {
    refreshWaterLevels(readings);
    List<Row<?>> measured = new ArrayList<>();
    for (GaugeReading gauge : readings) {
      if (gauge.plugin().equals(MeasuredLoad.PLUGIN)) {
        measured.add(Row.of(tags(Metric.MEASURED_NODES, gauge.policy()), gauge.reading().level()));
      }
    }
    measuredNodes.register(measured, true);
  }

  /** Sets the number of groups and their pods, by dialect. */
  public void groups(List<GroupState> reports) {
    groupReports = List.copyOf(reports);
  }

  /** Sets the states of the queues of tenants; series of queues that are gone are removed. */
  public void tenantQueues(List<QueueState> states) {
    queueStates = List.copyOf(states);
  }

  /** Sets the states of the shadows of policies; series of shadows that are gone are removed. */
  public void shadows(List<ShadowState> states) {
    shadowStates = List.copyOf(states);
  }

  private void refreshGroups(List<GroupState> reports) {
    Map<GroupDialect, GroupCounts> counts = new EnumMap<>(GroupDialect.class);
    for (GroupState group : reports) {
      counts.merge(group.group().dialect(), GroupCounts.of(group), GroupCounts::plus);
    }
    List<Row<?>> groups = new ArrayList<>();
    List<Row<?>> pods = new ArrayList<>();
    counts.forEach(
        (dialect, count) -> {
          String label = dialect.label();
          groups.add(Row.of(tags(Metric.GROUPS, label, "waiting"), count.waiting()));
          groups.add(Row.of(tags(Metric.GROUPS, label, "placed"), count.placed()));
          pods.add(Row.of(tags(Metric.GROUP_PODS, label, "waiting"), count.podsWaiting()));
          pods.add(Row.of(tags(Metric.GROUP_PODS, label, "placed"), count.podsPlaced()));
        });
    groupRows.register(groups, true);
    groupPods.register(pods, true);
  }

  private record GroupCounts(int waiting, int placed, int podsWaiting, int podsPlaced) {
    static GroupCounts of(GroupState group) {
      boolean placed = group.phase() == GroupState.Phase.PLACED;
      return new GroupCounts(
          !placed && group.pods().waiting() > 0 ? 1 : 0,
          placed ? 1 : 0,
          group.pods().waiting(),
          group.placed() + group.succeeded());
    }

    GroupCounts plus(GroupCounts more) {
      return new GroupCounts(
          waiting + more.waiting,
          placed + more.placed,
          podsWaiting + more.podsWaiting,
          podsPlaced + more.podsPlaced);
    }
  }

  private void refreshWaterLevels(List<GaugeReading> readings) {
    List<Row<?>> levels = new ArrayList<>();
    List<Row<?>> modes = new ArrayList<>();
    for (String policy : readings.stream().map(GaugeReading::policy).distinct().toList()) {
      for (Reading reading : WaterLevels.of(policy, readings)) {
        Tags level = tags(Metric.WATER_LEVEL, policy, reading.scope());
        Tags mode = tags(Metric.WATER_LEVEL_PACKING, policy, reading.scope());
        levels.add(Row.of(level, reading.level()));
        modes.add(Row.of(mode, WaterLevels.isPacking(reading) ? 1 : 0));
      }
    }
    waterLevels.register(levels, true);
    waterModes.register(modes, true);
  }

  /** Registers a gauge whose value is read when metrics are collected. */
  public void gauge(Metric metric, Supplier<Number> value, String... labels) {
    Gauge.builder(name(metric, Metric.Type.GAUGE), value)
        .description(metric.description())
        .tags(tags(metric, labels))
        .register(registry);
  }

  /** Sets the source of the GPU card totals. */
  public void gpuCards(Supplier<CardTotals> totals) {
    cardTotals = totals;
    gauge(Metric.GPU_MILLI, () -> cardTotals.get().milliGpu());
    gauge(Metric.GPU_MILLI_USED, () -> cardTotals.get().usedMilliGpu());
    gauge(Metric.GPU_NODES_CLOSED, () -> cardTotals.get().closedNodes());
    gauge(Metric.GPU_NODES_UNREADABLE, () -> cardTotals.get().unreadableNodes());
  }

  private void refreshGpuCards(CardTotals totals) {
    List<Row<?>> byFree = new ArrayList<>();
    for (int range = 0; range < FREE_RANGES.size(); range++) {
      Tags tags = tags(Metric.GPU_CARDS, FREE_RANGES.get(range));
      byFree.add(Row.of(tags, totals.usableByFree().get(range)));
    }
    gpuCardsByFree.register(byFree, true);
    List<Row<?>> cards = new ArrayList<>();
    for (CardTotals.Card card : totals.cards()) {
      Tags tags = tags(Metric.GPU_CARD_MILLI_USED, card.nodeName(), card.id());
      cards.add(Row.of(tags, card.usedMilliGpu()));
    }
    gpuCards.register(cards, true);
  }

  /**
   * Sets the sources of the numbers of devices, and of {@link CountedNodes} by resource.
   *
   * @param nodes the number of nodes by resource
   */
  public void devices(Supplier<DeviceCounts> counts, Supplier<Map<String, Long>> nodes) {
    deviceCounts = counts;
    nodesWithCountedDevices = nodes;
  }

  private void refreshDevices(DeviceCounts counts) {
    List<Row<?>> published = new ArrayList<>();
    counts
        .published()
        .forEach(
            (pool, count) ->
                published.add(Row.of(tags(Metric.DEVICES, pool.driver(), pool.pool()), count)));
    devices.register(published, true);
    List<Row<?>> allocated = new ArrayList<>();
    counts
        .allocated()
        .forEach(
            (of, count) ->
                allocated.add(
                    Row.of(
                        tags(
                            Metric.DEVICES_ALLOCATED,
                            of.pool().driver(),
                            of.pool().pool(),
                            of.deviceClass()),
                        count)));
    allocatedDevices.register(allocated, true);
    devicesGivenTwice.register(
        List.of(Row.of(tags(Metric.DEVICES_GIVEN_TWICE), counts.givenTwice())), true);
  }

  /**
   * Returns all metrics in Prometheus' text format. Dynamic rows are updated here, under one lock,
   * because a {@link MultiGauge} briefly removes its rows from the registry while it replaces them.
   */
  public synchronized String page() {
    refreshGauges(gaugeReadings);
    refreshGroups(groupReports);
    tenantQueueRows.set(queueStates);
    shadowRows.set(shadowStates);
    refreshGpuCards(cardTotals.get());
    refreshDevices(deviceCounts.get());
    countedNodes.register(
        nodesWithCountedDevices.get().entrySet().stream()
            .<Row<?>>map(
                of -> Row.of(tags(Metric.NODES_WITH_COUNTED_DEVICES, of.getKey()), of.getValue()))
            .toList(),
        true);
    return registry.scrape();
  }

  @Override
  public void close() {
    gc.close();
    registry.close();
  }

  private MultiGauge rows(Metric metric) {
    return MultiGauge.builder(name(metric, Metric.Type.GAUGE))
        .description(metric.description())
        .register(registry);
  }

  private Counter counter(Metric metric, String... labels) {
    return Counter.builder(name(metric, Metric.Type.COUNTER))
        .description(metric.description())
        .tags(tags(metric, labels))
        .register(registry);
  }

  private DistributionSummary summary(Metric metric, double[] buckets) {
    return DistributionSummary.builder(name(metric, Metric.Type.SUMMARY))
        .description(metric.description())
        .serviceLevelObjectives(buckets)
        .register(registry);
  }

  private Timer timer(Metric metric, double first, int count, String... labels) {
    Duration[] objectives =
        DoubleStream.of(buckets(first, count))
            .mapToObj(seconds -> Duration.ofNanos(Math.round(seconds * 1e9)))
            .toArray(Duration[]::new);
    return Timer.builder(name(metric, Metric.Type.TIMER))
        .description(metric.description())
        .tags(tags(metric, labels))
        .serviceLevelObjectives(objectives)
        .minimumExpectedValue(objectives[0])
        .maximumExpectedValue(objectives[objectives.length - 1])
        .register(registry);
  }

  private static String name(Metric metric, Metric.Type type) {
    if (metric.type() != type) {
      throw new IllegalArgumentException(metric + " is no " + type + ", but a " + metric.type());
    }
    return metric.meter();
  }

  static Tags tags(Metric metric, String... values) {
    if (values.length != metric.labels().size()) {
      throw new IllegalArgumentException(
          metric + " has the labels " + metric.labels() + ": give a value for each");
    }
    Tags tags = Tags.empty();
    for (int i = 0; i < values.length; i++) {
      tags = tags.and(metric.labels().get(i), values[i]);
    }
    return tags;
  }

  /** Returns bucket limits like kube-scheduler's, each twice the previous one. */
  private static double[] buckets(double first, int count) {
    return IntStream.range(0, count).mapToDouble(i -> first * Math.pow(2, i)).toArray();
  }
}
