package io.berth.operator.query;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.engine.api.ClusterEvent;
import io.berth.operator.feed.FedPod;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The pending pods by the reason for which they wait, as their condition PodScheduled says. A pod
 * that no node fits counts for the reason of the most nodes. The reasons name no objects: what is
 * quoted in them is left out.
 */
final class PendingReasons {
  private static final String NODES = " nodes are available: ";

  /** A reason of nodes with their number, as kube-scheduler lists them. */
  private static final Pattern OF_NODES = Pattern.compile("(\\d+) (.+?)(?=, \\d+ |\\.( |$)|$)");

  private static final Pattern QUOTED = Pattern.compile("\"[^\"]*\"");
  private static final Pattern NOT_IN_NAMES = Pattern.compile("[^a-z0-9]+");
  private static final int LONGEST_NAME = 63;
  private static final int LONGEST_REASON = 200;

  private final Supplier<Stream<FedPod>> pods;
  private final Set<String> schedulerNames;
  private final Recent<List<ObjectNode>> reasons;

  /**
   * @param pods returns the cached pods
   * @param schedulerNames the scheduler names of the pods that Berth places
   */
  PendingReasons(Supplier<Stream<FedPod>> pods, Set<String> schedulerNames, InstantSource clock) {
    this.pods = pods;
    this.schedulerNames = Set.copyOf(schedulerNames);
    this.reasons = new Recent<>(now -> compute(), clock);
  }

  /** Returns the reasons, those of the most pods first, as objects of the API. */
  List<ObjectNode> objects() {
    return reasons.get();
  }

  /**
   * The reason for which a pod waits.
   *
   * @param code the reason of its condition, or {@code SchedulingGated} or {@code NotTried}
   */
  private record Reason(String code, String text) {
    String name() {
      String name =
          NOT_IN_NAMES
              .matcher((text.isEmpty() ? code : text).toLowerCase(Locale.ROOT))
              .replaceAll("-");
      String cut = name.substring(0, Math.min(name.length(), LONGEST_NAME));
      return cut.replaceAll("^-|-$", "");
    }
  }

  /** The pods that wait for one reason. */
  private static final class Group {
    final Reason reason;
    final Set<String> namespaces = new HashSet<>();
    int pods;
    Instant oldest = Instant.MAX;

    Group(Reason reason) {
      this.reason = reason;
    }

    void add(FedPod pod) {
      pods++;
      namespaces.add(pod.ref().namespace());
      if (pod.createdAt().isBefore(oldest)) {
        oldest = pod.createdAt();
      }
    }

    ObjectNode object(String name) {
      ObjectNode object = QueryApi.object(QueryResource.PENDING_REASONS.kind());
      object.putObject("metadata").put("name", name);
      object
          .putObject("status")
          .put("code", reason.code())
          .put("reason", reason.text())
          .put("pods", pods)
          .put("namespaces", namespaces.size())
          .put("oldest", oldest.toString());
      return object;
    }
  }

  private List<ObjectNode> compute() {
    Map<String, Group> groups = new TreeMap<>();
    pods.get()
        .filter(this::isPending)
        .forEach(
            pod -> {
              Reason reason = reason(pod);
              groups.computeIfAbsent(reason.name(), name -> new Group(reason)).add(pod);
            });
    return groups.entrySet().stream()
        .sorted(
            Comparator.comparingInt((Map.Entry<String, Group> each) -> each.getValue().pods)
                .reversed())
        .map(each -> each.getValue().object(each.getKey()))
        .toList();
  }

  private boolean isPending(FedPod pod) {
    return pod.nodeName().isEmpty()
        && schedulerNames.contains(pod.schedulerName())
        && !pod.finished()
        && !pod.terminating();
  }

  private static Reason reason(FedPod pod) {
    if (pod.event() instanceof ClusterEvent.PodUpserted upserted
        && !upserted.pod().gates().isEmpty()) {
      return new Reason("SchedulingGated", "has scheduling gates");
    }
    FedPod.NotScheduled condition = pod.notScheduled();
    if (condition.reason().isEmpty()) {
      return new Reason("NotTried", "has not been tried yet");
    }
    return new Reason(condition.reason(), text(condition));
  }

  private static String text(FedPod.NotScheduled condition) {
    return switch (condition.reason()) {
      case "EvictionsHeld" -> "waits for evictions, which limits of its policy delay";
      case "GroupIncomplete" -> "waits for other pods of its group";
      case "PolicyNotFound" -> "its policy does not exist, or cannot be used";
      case "PolicyNotAllowed" -> "its policy does not place pods of its namespace";
      case "HeldByQueue" ->
          "its queue has reached a limit, does not admit it, or requests no node for it";
      case "InvalidPod" -> "cannot be scheduled as specified";
      case "SchedulerError" -> "an attempt or a Binding failed, or an extender does not answer";
      default -> ofNodes(condition.message());
    };
  }

  /** Returns the reason of the most nodes. */
  private static String ofNodes(String message) {
    int begin = message.indexOf(NODES);
    if (begin < 0) {
      return "";
    }
    Matcher each = OF_NODES.matcher(message.substring(begin + NODES.length()));
    String most = "";
    long nodes = 0;
    while (each.find()) {
      long count = Long.parseLong(each.group(1));
      if (count > nodes) {
        nodes = count;
        most = each.group(2);
      }
      if (each.group(3) != null) {
        break; // the end of the list; preemption's list follows
      }
    }
    String named = QUOTED.matcher(most).replaceAll("…");
    return named.substring(0, Math.min(named.length(), LONGEST_REASON));
  }
}
