package io.berth.operator.record;

import io.berth.engine.api.Decision;
import io.berth.engine.api.WaitCause;
import io.berth.operator.http.FieldSelector;
import io.berth.operator.record.DecisionLog.LoggedDecision;
import java.util.List;
import java.util.function.Predicate;

/** The fields by which decisions can be selected, named as in the objects of the API. */
public final class DecisionFields {
  public static final List<String> NAMES =
      List.of(
          "metadata.name",
          "metadata.namespace",
          "status.result",
          "status.node",
          "status.policy.name",
          "status.group");

  private DecisionFields() {}

  /**
   * Returns whether a decision is selected.
   *
   * @param namespace the namespace of the pod; empty for all
   */
  static Predicate<LoggedDecision> wanted(String namespace, FieldSelector fields) {
    return entry ->
        (namespace.isEmpty() || entry.decision().pod().namespace().equals(namespace))
            && fields.matches(field -> value(entry.decision(), field));
  }

  private static String value(Decision decision, String field) {
    return switch (field) {
      case "metadata.name" -> decision.pod().name();
      case "metadata.namespace" -> decision.pod().namespace();
      case "status.result" -> result(decision);
      case "status.node" -> node(decision);
      case "status.policy.name" -> decision.record().policy();
      case "status.group" -> decision.record().group();
      default -> throw new IllegalArgumentException(field + " is not one of " + NAMES);
    };
  }

  /** Returns the name of a decision's kind. */
  static String result(Decision decision) {
    return switch (decision) {
      case Decision.Placed _ -> "Placed";
      case Decision.Unschedulable _ -> "Unschedulable";
      case Decision.Quarantined _ -> "Quarantined";
      case Decision.GivenBack _ -> "GivenBack";
      case Decision.Nominated _ -> "Nominated";
    };
  }

  /** Returns the name of what a pod waits for. */
  public static String cause(WaitCause cause) {
    return switch (cause) {
      case NO_ROOM -> "NoRoom";
      case HELD_BY_QUEUE -> "HeldByQueue";
      case EVICTIONS_HELD -> "EvictionsHeld";
      case GROUP_INCOMPLETE -> "GroupIncomplete";
      case POLICY_MISSING -> "PolicyMissing";
      case POLICY_NOT_ALLOWED -> "PolicyNotAllowed";
      case NO_ADVICE -> "NoAdvice";
    };
  }

  /** Returns the node that was selected; empty if none was. */
  static String node(Decision decision) {
    return switch (decision) {
      case Decision.Placed placed -> placed.nodeName();
      case Decision.GivenBack givenBack -> givenBack.nodeName();
      case Decision.Nominated nominated -> nominated.nodeName();
      case Decision.Unschedulable _, Decision.Quarantined _ -> "";
    };
  }
}
