package io.berth.engine.lifecycle;

import io.berth.engine.group.GroupSearch;
import io.berth.engine.quota.Quotas;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A rule of the scheduler itself that can reject a unit, as the plugins of its policy can. The
 * queue knows each by a label in place of a plugin's name.
 */
public enum OwnRule {
  /** The pod's policy exists. */
  POLICY("SchedulingPolicy"),
  /** The pod's policy places pods of its namespace. */
  NAMESPACE("AllowedNamespaces"),
  /** There are nodes. */
  NODES("NoNodes"),
  /** The queue of the pod's tenant permits it. */
  QUEUE(Quotas.PLUGIN),
  /** The queue of the pod's tenant permits a request for a node. */
  NODE_REQUESTS(Quotas.NODE_REQUESTS),
  /** The group is complete, and is placed as a whole. */
  GROUP(GroupSearch.PLUGIN);

  private static final Map<String, OwnRule> BY_LABEL =
      Arrays.stream(values()).collect(Collectors.toMap(rule -> rule.label, Function.identity()));

  private final String label;

  OwnRule(String label) {
    this.label = label;
  }

  /** Returns the label in place of a plugin's name. */
  public String label() {
    return label;
  }

  /** Returns the rule with this label; empty if it is the name of a plugin. */
  static Optional<OwnRule> labelled(String label) {
    return Optional.ofNullable(BY_LABEL.get(label));
  }
}
