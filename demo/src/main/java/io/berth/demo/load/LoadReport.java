package io.berth.demo.load;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The rate, the delays and the cost of a scheduler.
 *
 * @param scheduler schedulerName of the scheduler
 * @param nodes number of nodes
 * @param startup time from the start of its process to the first binding; empty if the user started
 *     it
 * @param cold the pods that were pending when the scheduler was started
 * @param steady the pods that were created at steady rates
 * @param warm the pods that were created at once, when the scheduler had run for a while
 * @param peakBytes the largest resident memory of its process; empty if unknown
 */
public record LoadReport(
    String scheduler,
    int nodes,
    Optional<Duration> startup,
    Queue cold,
    List<SteadyRate> steady,
    Queue warm,
    OptionalLong peakBytes) {

  /**
   * Many pods that wait at the same time.
   *
   * @param first when the first pod was bound if the pods existed before, or created otherwise
   * @param bound times at which pods were observed as bound, ascending
   * @param pods number of pods
   * @param events number of Scheduled events at the end
   * @param eventsDelay time from the last binding to the last of these events
   * @param cpu the CPU time of the scheduler until the last of these events, with its start if it
   *     was started for these pods; empty if unknown
   */
  public record Queue(
      Instant first,
      List<Instant> bound,
      int pods,
      int events,
      Duration eventsDelay,
      Optional<Duration> cpu) {

    /** Returns the bound pods per second from {@link #first} to the last binding. */
    public double podsPerSecond() {
      double seconds = BindingWatch.seconds(Duration.between(first, bound.getLast()));
      return seconds > 0 ? bound.size() / seconds : 0;
    }

    private Optional<Double> cpuSecondsPer1000() {
      return cpu.map(time -> BindingWatch.seconds(time) * 1_000 / pods);
    }

    private ObjectNode json() {
      ObjectNode json = JsonNodeFactory.instance.objectNode();
      json.put("podsPerSecond", rounded(podsPerSecond()));
      json.put("cpuSecondsPer1000", cpuSecondsPer1000().map(LoadReport::rounded).orElse(null));
      json.put("pods", pods).put("events", events);
      return json.put("eventsDelayMillis", eventsDelay.toMillis());
    }
  }

  /** Returns whether every pod of the two queues has a Scheduled event. */
  public boolean complete() {
    return cold.events() >= cold.pods() && warm.events() >= warm.pods();
  }

  /**
   * Returns the report as JSON. {@code podsPerSecond} is that of the pods that were pending at the
   * start, and {@code cpuSecondsPer1000} that of the lowest steady rate; unknown figures are null.
   */
  public ObjectNode json() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("scheduler", scheduler).put("nodes", nodes);
    json.put(
        "cpuSecondsPer1000",
        steady.stream()
            .findFirst()
            .flatMap(SteadyRate::cpuSecondsPer1000)
            .map(LoadReport::rounded)
            .orElse(null));
    json.put("podsPerSecond", rounded(cold.podsPerSecond()));
    json.put("startMillis", startup.map(Duration::toMillis).map(Long::valueOf).orElse(null));
    json.put("peakMiB", peakBytes.isEmpty() ? null : (Long) (peakBytes.getAsLong() >> 20));
    for (SteadyRate rate : steady) {
      ObjectNode of = json.putObject("at" + rate.podsPerSecond());
      of.put("p50Millis", rounded(rate.millis(0.5)));
      of.put("p99Millis", rounded(rate.millis(0.99)));
      of.put("maxMillis", rounded(rate.millis(1)));
      of.put("cpuSecondsPer1000", rate.cpuSecondsPer1000().map(LoadReport::rounded).orElse(null));
      of.put("pods", rate.pods()).put("measured", rate.waited().size());
      of.put("createdPerSecond", rounded(rate.created()));
    }
    json.set("cold", cold.json());
    json.set("warm", warm.json());
    return json;
  }

  private static double rounded(double figure) {
    return Math.round(figure * 100) / 100.0;
  }

  /** Returns the report as lines for a terminal. */
  public String text() {
    StringBuilder text = new StringBuilder();
    text.append(
        """
        scheduler                 %s
        nodes                     %,d
        process to first binding  %s
        peak memory               %s
        """
            .formatted(
                scheduler,
                nodes,
                startup
                    .map(took -> "%.2f s".formatted(BindingWatch.seconds(took)))
                    .orElse("unknown"),
                peakBytes.isEmpty() ? "unknown" : (peakBytes.getAsLong() >> 20) + " MiB"));
    text.append(line("pending at the start", cold));
    for (SteadyRate rate : steady) {
      text.append(
          "%-25s p50 %.1f ms, p99 %.1f ms, max %.1f ms; %s%n"
              .formatted(
                  "%d pods per second".formatted(rate.podsPerSecond()),
                  rate.millis(0.5),
                  rate.millis(0.99),
                  rate.millis(1),
                  cpu(rate.cpuSecondsPer1000())));
    }
    text.append(line("created at once", warm));
    return text.toString();
  }

  private static String line(String name, Queue queue) {
    return "%-25s %,d pods, %,.0f per second; %s; %,d Scheduled events, the last %.2f s later%n"
        .formatted(
            name,
            queue.pods(),
            queue.podsPerSecond(),
            cpu(queue.cpuSecondsPer1000()),
            queue.events(),
            BindingWatch.seconds(queue.eventsDelay()));
  }

  private static String cpu(Optional<Double> secondsPer1000) {
    return secondsPer1000
        .map("%.2f s of CPU time per 1,000 pods"::formatted)
        .orElse("CPU time unknown");
  }
}
