package io.berth.webhook.binding;

import io.berth.crds.Annotations;
import io.berth.crds.binding.BindingField;
import io.berth.crds.binding.ConfigReference;
import io.berth.crds.binding.GroupRule;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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
    Optional<String> queue) {
  /** Returns the names of the configs, also if the annotations of the pod name them. */
  public Set<String> configNames(PodSubject pod) {
    if (source instanceof Source.OfPod) {
      String key = field == BindingField.NODE_CONFIGS ? Annotations.NSC : Annotations.PSC;
      return Stream.of(pod.annotation(key).orElse("").split(","))
          .map(String::strip)
          .filter(name -> !name.isEmpty())
          .collect(Collectors.toSet());
    }
    return configs.stream().map(ConfigReference::name).collect(Collectors.toSet());
  }
}
