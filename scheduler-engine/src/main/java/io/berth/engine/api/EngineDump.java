package io.berth.engine.api;

import io.berth.engine.model.GroupRef;
import io.berth.engine.time.Due;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The inside of an engine at one time, for operators.
 *
 * @param now the time
 * @param counts the number of pods in each part of the scheduling queue
 * @param unitCount the number of pods and groups that wait or are in progress
 * @param units the first of them: those in progress, then the active ones in order of priority and
 *     of arrival, which queues of tenants may change, and then those in backoff, unschedulable, and
 *     gated ones in order of arrival
 * @param nominations the pods for which preemption has freed resources, by node
 * @param reservation the group for which resources are reserved that become free as pods end
 * @param gauges the readings of all policies' gauges
 * @param cache what is cached between pods
 */
public record EngineDump(
    Instant now,
    QueueCounts counts,
    int unitCount,
    List<WaitingUnit> units,
    List<Nomination> nominations,
    Optional<Reservation> reservation,
    List<GaugeReading> gauges,
    Cache cache) {
  /** Copies the lists. */
  public EngineDump {
    units = List.copyOf(units);
    nominations = List.copyOf(nominations);
    gauges = List.copyOf(gauges);
  }

  /**
   * A nomination.
   *
   * @param pod the namespace and name of the pod
   */
  public record Nomination(String pod, String node) {}

  /**
   * A reservation for a group.
   *
   * @param start the time before which the group cannot use the resources
   * @param until the time at which it expires if no pod leaves the nodes before
   */
  public record Reservation(GroupRef group, int priority, Instant start, Due until) {}

  /**
   * The results that are cached between pods.
   *
   * @param plans the number of plans: one for each policy and shape of pods
   * @param plansMade the number of plans that were made since the engine exists. If it grows with
   *     the number of pods while {@code plans} does not, the limit is too low
   * @param answers the number of verdicts and scores of plugins for all nodes that plans share
   * @param preemptors the number of kinds of preemptors whose dry runs are cached, at most 32
   * @param planBytes the approximate memory of the plans, with their orders of nodes
   * @param answerBytes the approximate memory of the shared answers
   * @param dryRunBytes the approximate memory of the dry runs
   * @param engineBytes the approximate memory of what all engines of the process have cached, which
   *     the limit bounds: those for reviews and shadows are among them
   * @param limitBytes the limit that all engines of the process share
   */
  public record Cache(
      int plans,
      long plansMade,
      int answers,
      int preemptors,
      long planBytes,
      long answerBytes,
      long dryRunBytes,
      long engineBytes,
      long limitBytes) {

    /** Returns the approximate memory of all that this engine has cached. */
    public long bytes() {
      return planBytes + answerBytes + dryRunBytes;
    }
  }
}
