package io.berth.operator.record;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.engine.api.EngineDump;
import io.berth.engine.api.GaugeReading;
import io.berth.engine.api.QueueCounts;
import io.berth.engine.api.WaitingUnit;
import java.util.TreeSet;

/** Renders the inside of an engine as text and as JSON. */
final class EnginePage {
  private EnginePage() {}

  /** Returns plain text, with a line for each pod and group that waits. */
  static String text(EngineDump dump) {
    StringBuilder out = new StringBuilder();
    QueueCounts counts = dump.counts();
    out.append("Time         %s%n".formatted(dump.now()));
    out.append(
        "Queue        %d active, %d in backoff, %d unschedulable, %d gated%n"
            .formatted(counts.active(), counts.backoff(), counts.unschedulable(), counts.gated()));
    EngineDump.Cache cache = dump.cache();
    out.append(
        ("Cache        %d plans (%d made): %d MiB, %d shared answers: %d MiB, %d kinds of"
                + " preemptors: %d MiB%n")
            .formatted(
                cache.plans(),
                cache.plansMade(),
                mebibytes(cache.planBytes()),
                cache.answers(),
                mebibytes(cache.answerBytes()),
                cache.preemptors(),
                mebibytes(cache.dryRunBytes())));
    out.append(
        "             %d MiB in this engine; %d of %d MiB in all engines of the process%n"
            .formatted(
                mebibytes(cache.bytes()),
                mebibytes(cache.engineBytes()),
                mebibytes(cache.limitBytes())));
    dump.reservation()
        .ifPresent(
            held ->
                out.append(
                    "Reservation  for %s with priority %d, from %s on, until %s%n"
                        .formatted(held.group(), held.priority(), held.start(), held.until())));
    if (!dump.nominations().isEmpty()) {
      out.append("\nNominations\n");
      dump.nominations()
          .forEach(each -> out.append("  %s for %s%n".formatted(each.pod(), each.node())));
    }
    if (!dump.gauges().isEmpty()) {
      out.append("\nGauges\n");
      dump.gauges().forEach(gauge -> out.append(text(gauge)));
    }
    units(out, dump);
    return out.toString();
  }

  private static long mebibytes(long bytes) {
    return bytes >> 20;
  }

  private static String text(GaugeReading gauge) {
    return "  %s of policy %s, %s: %s at %.3f%n"
        .formatted(
            gauge.plugin(),
            gauge.policy(),
            gauge.reading().scope(),
            gauge.reading().mode(),
            gauge.reading().level());
  }

  private static void units(StringBuilder out, EngineDump dump) {
    if (dump.units().isEmpty()) {
      return;
    }
    out.append(
        "%n  %-13s %-27s %9s %8s  %s%n"
            .formatted("PLACE", "DUE", "PRIORITY", "ATTEMPTS", "POD OR GROUP"));
    for (WaitingUnit unit : dump.units()) {
      out.append(
          "  %-13s %-27s %9d %8d  %s%s%s%n"
              .formatted(
                  name(unit.place()),
                  unit.due(),
                  unit.priority(),
                  unit.attempts(),
                  unit.name(),
                  unit.pods().size() == 1 ? "" : " (%d pods)".formatted(unit.pods().size()),
                  unit.rejectedBy().isEmpty()
                      ? ""
                      : ", rejected by " + String.join(", ", new TreeSet<>(unit.rejectedBy()))));
    }
    int more = dump.unitCount() - dump.units().size();
    if (more > 0) {
      out.append("  and %d more%n".formatted(more));
    }
  }

  private static String name(WaitingUnit.Place place) {
    return switch (place) {
      case ACTIVE -> "Active";
      case BACKOFF -> "Backoff";
      case UNSCHEDULABLE -> "Unschedulable";
      case GATED -> "Gated";
      case IN_FLIGHT -> "InProgress";
    };
  }

  /** Returns JSON with the same content. */
  static ObjectNode json(EngineDump dump) {
    ObjectNode json = JsonNodeFactory.instance.objectNode().put("time", dump.now().toString());
    json.putObject("queue")
        .put("active", dump.counts().active())
        .put("backoff", dump.counts().backoff())
        .put("unschedulable", dump.counts().unschedulable())
        .put("gated", dump.counts().gated());
    json.putObject("cache")
        .put("plans", dump.cache().plans())
        .put("plansMade", dump.cache().plansMade())
        .put("answers", dump.cache().answers())
        .put("preemptors", dump.cache().preemptors())
        .put("planBytes", dump.cache().planBytes())
        .put("answerBytes", dump.cache().answerBytes())
        .put("dryRunBytes", dump.cache().dryRunBytes())
        .put("bytes", dump.cache().bytes())
        .put("engineBytes", dump.cache().engineBytes())
        .put("limitBytes", dump.cache().limitBytes());
    dump.reservation()
        .ifPresent(
            held ->
                json.putObject("reservation")
                    .put("group", held.group().toString())
                    .put("priority", held.priority())
                    .put("start", held.start().toString())
                    .put("until", held.until().toString()));
    ArrayNode nominations = json.putArray("nominations");
    dump.nominations()
        .forEach(each -> nominations.addObject().put("pod", each.pod()).put("node", each.node()));
    ArrayNode gauges = json.putArray("gauges");
    dump.gauges()
        .forEach(
            gauge ->
                gauges
                    .addObject()
                    .put("policy", gauge.policy())
                    .put("plugin", gauge.plugin())
                    .put("scope", gauge.reading().scope())
                    .put("mode", gauge.reading().mode())
                    .put("level", gauge.reading().level()));
    json.put("waiting", dump.unitCount());
    ArrayNode units = json.putArray("units");
    dump.units().forEach(unit -> write(units.addObject(), unit));
    return json;
  }

  private static void write(ObjectNode item, WaitingUnit unit) {
    item.put("name", unit.name())
        .put("pods", unit.pods().size())
        .put("place", name(unit.place()))
        .put("due", unit.due().toString())
        .put("priority", unit.priority())
        .put("attempts", unit.attempts());
    ArrayNode plugins = item.putArray("rejectedBy");
    new TreeSet<>(unit.rejectedBy()).forEach(plugins::add);
  }
}
