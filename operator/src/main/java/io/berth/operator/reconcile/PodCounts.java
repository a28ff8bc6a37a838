package io.berth.operator.reconcile;

import io.berth.operator.feed.FedPod;
import io.berth.webhook.binding.BindingKey;
import io.berth.webhook.binding.BindingReport;
import io.berth.webhook.binding.Choice;
import io.berth.webhook.binding.ConfigCatalog;
import io.berth.webhook.binding.PodSubject;
import io.berth.webhook.binding.ServedPolicy;
import io.berth.webhook.template.TemplateKind;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The number of pods for each binding, config and policy, counted in one pass over unfinished pods.
 *
 * @param bindings the matches and conflicts of each binding
 * @param nodeConfigs pods by NodeSchedulerConfig
 * @param podConfigs pods by PodSchedulerConfig
 * @param policies pods by the policy that places them
 */
record PodCounts(
    Map<BindingKey, BindingReport> bindings,
    Map<String, Integer> nodeConfigs,
    Map<String, Integer> podConfigs,
    Map<String, Integer> policies) {

  static PodCounts of(ConfigCatalog catalog, List<FedPod> all, Set<String> schedulerNames) {
    List<FedPod> living = all.stream().filter(pod -> !pod.finished()).toList();
    Map<PodSubject, Integer> alike = catalog.alike(living.stream().map(FedPod::asWritten).toList());
    Map<String, Integer> nodeConfigs = new HashMap<>();
    Map<String, Integer> podConfigs = new HashMap<>();
    Map<String, Integer> policies = new HashMap<>();
    String standard = catalog.defaultPolicy().map(ServedPolicy::name).orElse("");
    alike.forEach(
        (pod, pods) -> {
          for (Choice choice : catalog.resolveApplicable(pod).choices()) {
            switch (choice.field()) {
              case NODE_CONFIGS -> count(nodeConfigs, choice.configNames(pod), pods);
              case POD_CONFIGS -> count(podConfigs, choice.configNames(pod), pods);
              case SCHEDULING_POLICY, GROUP, QUEUE -> {}
            }
          }
        });
    for (FedPod pod : living) {
      if (!pod.policy().isBlank()) {
        count(policies, Set.of(pod.policy().strip()), 1);
      } else if (schedulerNames.contains(pod.schedulerName()) && !standard.isEmpty()) {
        count(policies, Set.of(standard), 1);
      }
    }
    return new PodCounts(
        BindingReport.of(catalog, alike),
        Map.copyOf(nodeConfigs),
        Map.copyOf(podConfigs),
        Map.copyOf(policies));
  }

  int configPods(TemplateKind kind, String name) {
    return (kind == TemplateKind.NODE ? nodeConfigs : podConfigs).getOrDefault(name, 0);
  }

  private static void count(Map<String, Integer> counts, Set<String> names, int pods) {
    names.forEach(name -> counts.merge(name, pods, Integer::sum));
  }
}
