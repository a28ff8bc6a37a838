package io.berth.webhook.binding;

import io.berth.crds.binding.BindingField;
import io.berth.crds.binding.ConfigReference;
import io.berth.crds.binding.GroupRule;
import java.util.List;
import java.util.Optional;

/**
 * The choice for one field of a pod. If the pod's own annotations decide, the configs are read from
 * the annotations.
 *
 * @param configs the configs, in order; empty for other fields, and if the pod decides
 * @param policy the SchedulingPolicy's name, for a policy field
 * @param schedulerName the scheduler that the deciding binding sets
 * @param group the rule of the deciding binding, for a group field
 * @param queue the name of the SchedulingQueue, for a queue field
 */
public record Choice(
    BindingField field,
    Source source,
    List<ConfigReference> configs,
    Optional<String> policy,
    Optional<String> schedulerName,
    Optional<GroupRule> group,
    Optional<String> queue) {}
