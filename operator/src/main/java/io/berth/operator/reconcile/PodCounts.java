package io.berth.operator.reconcile;

import io.berth.crds.Annotations;
import io.berth.crds.binding.BindingField;
import io.berth.operator.feed.FedPod;
import io.berth.webhook.binding.AppliedFields;
import io.berth.webhook.binding.BindingKey;
import io.berth.webhook.binding.BindingReport;
import io.berth.webhook.binding.Choice;
import io.berth.webhook.binding.ConfigCatalog;
import io.berth.webhook.binding.PodSubject;
import io.berth.webhook.binding.ServedPolicy;
import io.berth.webhook.binding.Source;
import io.berth.webhook.template.TemplateKind;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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
    Map<PodSubject, Integer> alike =
        catalog.alike(living.stream().map(PodCounts::subject).toList());
    Map<String, Integer> nodeConfigs = new HashMap<>();
    Map<String, Integer> podConfigs = new HashMap<>();
    Map<String, Integer> policies = new HashMap<>();
    String standard = catalog.defaultPolicy().map(ServedPolicy::name).orElse("");
    alike.forEach(
        (pod, pods) -> {
          for (Choice choice : catalog.resolveApplicable(pod).choices()) {
            switch (choice.field()) {
              case NODE_CONFIGS -> count(nodeConfigs, names(choice, pod), pods);
              case POD_CONFIGS -> count(podConfigs, names(choice, pod), pods);
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

  /**
   * Returns the pod as its author wrote it: without the annotation for the policy and the label for
   * the queue that the webhook added for a binding, which are not the pod's own choice.
   */
  static PodSubject subject(FedPod pod) {
    Map<String, String> annotations = pod.annotations();
    AppliedFields applied = AppliedFields.of(annotations);
    if (applied.byBinding(BindingField.SCHEDULING_POLICY)) {
      annotations = new HashMap<>(annotations);
      annotations.remove(Annotations.POLICY);
    }
    PodSubject subject = pod.subject(annotations);
    return applied.byBinding(BindingField.QUEUE)
        ? subject.withoutLabel(Annotations.QUEUE_LABEL)
        : subject;
  }

  private static Set<String> names(Choice choice, PodSubject pod) {
    if (choice.source() instanceof Source.OfPod) {
      String key = choice.field() == BindingField.NODE_CONFIGS ? Annotations.NSC : Annotations.PSC;
      return Stream.of(pod.annotation(key).orElse("").split(","))
          .map(String::strip)
          .filter(name -> !name.isEmpty())
          .collect(Collectors.toSet());
    }
    return choice.configs().stream().map(config -> config.name()).collect(Collectors.toSet());
  }

  private static void count(Map<String, Integer> counts, Set<String> names, int pods) {
    names.forEach(name -> counts.merge(name, pods, Integer::sum));
  }
}
