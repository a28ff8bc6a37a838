package io.berth.webhook.binding;

import io.berth.rules.RootName;
import java.util.Map;

/** Derives root owners from names, for controllers that have not been looked up. */
public final class OwnerNames {
  private OwnerNames() {}

  /** Returns the likely root owner of a pod's controller. */
  public static Owner root(Controller controller, Map<String, String> podLabels) {
    RootName root =
        RootName.of(
            controller.kind(),
            controller.name(),
            podLabels.getOrDefault(RootName.TEMPLATE_HASH, ""));
    return new Owner(root.kind(), controller.name().substring(0, root.length()));
  }
}
