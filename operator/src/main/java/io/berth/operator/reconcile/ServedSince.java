package io.berth.operator.reconcile;

import io.berth.crds.Annotations;
import io.berth.crds.NodeSchedulerConfig;
import io.berth.crds.PodSchedulerConfig;
import io.berth.crds.SchedulerConfigBinding;
import io.berth.crds.SchedulingPolicy;
import io.berth.crds.schema.ResourceStatus;
import io.berth.operator.feed.ClusterFeed;
import io.berth.operator.feed.FedPod;
import io.berth.webhook.binding.BindingKey;
import io.berth.webhook.binding.Choice;
import io.berth.webhook.binding.Source;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ManagedFieldsEntry;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.client.CustomResource;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Since when everything has been in place that decides a field of a pod as it is decided now. A pod
 * that was created later should have been rendered by it; of an older one nothing can be said.
 *
 * <p>It counts from the latest of: the binding's present generation was served; the binding became
 * ready; the configs that the pod names were served and became ready; the namespace's labels, by
 * which bindings of the operator's namespace reach it, last changed.
 */
final class ServedSince {

  private final Map<BindingKey, Instant> bindings = new HashMap<>();
  private final Map<String, Instant> nodeConfigs = new HashMap<>();
  private final Map<String, Instant> podConfigs = new HashMap<>();
  private final Map<String, Instant> policies = new HashMap<>();
  private final Map<String, Instant> namespaces = new HashMap<>();

  /** By what the leader's statuses say now. */
  static ServedSince of(ClusterFeed feed) {
    ServedSince since = new ServedSince();
    for (SchedulerConfigBinding binding : feed.bindings()) {
      BindingKey key =
          new BindingKey(binding.getMetadata().getNamespace(), binding.getMetadata().getName());
      readySince(binding).ifPresent(at -> since.bindings.put(key, at));
    }
    for (NodeSchedulerConfig config : feed.nodeConfigs()) {
      readySince(config).ifPresent(at -> since.nodeConfigs.put(config.getMetadata().getName(), at));
    }
    for (PodSchedulerConfig config : feed.podConfigs()) {
      readySince(config).ifPresent(at -> since.podConfigs.put(config.getMetadata().getName(), at));
    }
    for (SchedulingPolicy policy : feed.policies()) {
      readySince(policy).ifPresent(at -> since.policies.put(policy.getMetadata().getName(), at));
    }
    for (Namespace namespace : feed.namespaces()) {
      since.namespaces.put(namespace.getMetadata().getName(), labelled(namespace));
    }
    return since;
  }

  /** Whether anything is in place at all. */
  boolean isEmpty() {
    return bindings.isEmpty()
        && nodeConfigs.isEmpty()
        && podConfigs.isEmpty()
        && policies.isEmpty();
  }

  /** Since when the field is decided as it is now; empty where something is not in place. */
  Optional<Instant> of(Choice choice, FedPod pod) {
    return switch (choice.source()) {
      case Source.OfBinding(BindingKey key, long generation) ->
          latest(
              Stream.of(
                  Optional.ofNullable(bindings.get(key)),
                  Optional.ofNullable(namespaces.get(pod.ref().namespace()))));
      case Source.OfPod() ->
          switch (choice.field()) {
            case NODE_CONFIGS -> named(nodeConfigs, pod.annotations().get(Annotations.NSC));
            case POD_CONFIGS -> named(podConfigs, pod.annotations().get(Annotations.PSC));
            case SCHEDULING_POLICY -> named(policies, pod.annotations().get(Annotations.POLICY));
          };
    };
  }

  private static Optional<Instant> named(Map<String, Instant> since, @Nullable String names) {
    return latest(
        Stream.of(names == null ? new String[0] : names.split(","))
            .map(name -> Optional.ofNullable(since.get(name.strip()))));
  }

  private static Optional<Instant> latest(Stream<Optional<Instant>> moments) {
    List<Optional<Instant>> all = moments.toList();
    return all.stream().anyMatch(Optional::isEmpty)
        ? Optional.empty()
        : all.stream().flatMap(Optional::stream).max(Instant::compareTo);
  }

  private static Optional<Instant> readySince(
      CustomResource<?, ? extends ResourceStatus> resource) {
    List<Condition> conditions =
        resource.getStatus() == null ? List.of() : resource.getStatus().conditions();
    Optional<Instant> ready =
        Conditions.find(conditions, Conditions.READY)
            .filter(condition -> "True".equals(condition.getStatus()))
            .map(condition -> Instant.parse(condition.getLastTransitionTime()));
    return latest(
        Stream.of(
            ready, Conditions.servedSince(conditions, StatusReconciler.generation(resource))));
  }

  /** When the labels last changed, as far as the API server remembers who wrote them. */
  private static Instant labelled(HasMetadata object) {
    Collection<ManagedFieldsEntry> entries = object.getMetadata().getManagedFields();
    return entries == null
        ? Instant.EPOCH
        : entries.stream()
            .filter(entry -> entry.getTime() != null && ownsLabels(entry))
            .map(entry -> Instant.parse(entry.getTime()))
            .max(Instant::compareTo)
            .orElse(Instant.EPOCH);
  }

  private static boolean ownsLabels(ManagedFieldsEntry entry) {
    return entry.getFieldsV1() != null
        && entry.getFieldsV1().getAdditionalProperties().get("f:metadata")
            instanceof Map<?, ?> metadata
        && metadata.containsKey("f:labels");
  }
}
