package io.berth.sandbox.quota;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.sandbox.quantity.Amount;
import java.math.BigDecimal;

/** A pod's quality of service class. */
public final class QosClass {
  private static final String[] COUNTED = {"cpu", "memory"};

  private QosClass() {}

  /** Returns the class of a pod with this spec: Guaranteed, Burstable, or BestEffort. */
  public static String of(JsonNode spec) {
    if (asks(spec.path("resources"))) {
      return guaranteed(spec.path("resources")) ? "Guaranteed" : "Burstable";
    }
    boolean any = false;
    boolean all = true;
    for (String list : new String[] {"initContainers", "containers"}) {
      for (JsonNode container : spec.path(list)) {
        any |= asks(container.path("resources"));
        all &= guaranteed(container.path("resources"));
      }
    }
    if (!any) {
      return "BestEffort";
    }
    return all ? "Guaranteed" : "Burstable";
  }

  private static boolean asks(JsonNode resources) {
    for (String resource : COUNTED) {
      if (positive(resources.path("requests").path(resource))
          || positive(resources.path("limits").path(resource))) {
        return true;
      }
    }
    return false;
  }

  private static boolean guaranteed(JsonNode resources) {
    for (String resource : COUNTED) {
      JsonNode limit = resources.path("limits").path(resource);
      JsonNode request = resources.path("requests").path(resource);
      if (!positive(limit)
          || (!request.isMissingNode() && value(request).compareTo(value(limit)) != 0)) {
        return false;
      }
    }
    return true;
  }

  private static boolean positive(JsonNode quantity) {
    return value(quantity).signum() > 0;
  }

  private static BigDecimal value(JsonNode quantity) {
    return Amount.read(quantity).orElse(Amount.ZERO).value();
  }
}
