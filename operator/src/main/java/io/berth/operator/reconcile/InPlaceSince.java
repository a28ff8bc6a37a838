package io.berth.operator.reconcile;

import io.berth.crds.Annotations;
import io.berth.crds.NodeSchedulerConfig;
import io.berth.crds.PodSchedulerConfig;
import io.berth.crds.SchedulerConfigBinding;
import io.berth.crds.SchedulerConfigBindingSpec;
import io.berth.crds.SchedulingPolicy;
import io.berth.crds.SchedulingQueue;
import io.berth.crds.binding.ConfigReference;
import io.berth.crds.schema.ResourceStatus;
import io.berth.operator.feed.ClusterFeed;
import io.berth.operator.feed.FedPod;
import io.berth.webhook.binding.BindingKey;
import io.berth.webhook.binding.Choice;
import io.berth.webhook.binding.Source;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.client.CustomResource;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The times from which everything that determines a field of a pod has been in place as it is now.
 * A pod created later should have been rendered by it; about an older pod nothing is known.
 *
 * <p>Such a time is the latest of these writes: the binding's spec; the specs of the configs and
 * the policy that the binding or the pod names; the namespace's labels, by which bindings in the
 * operator's namespace select it. All of these objects are ready now, and readiness follows from
 * the specs alone, so they have been ready since then.
 */
final class InPlaceSince {

  private final Map<BindingKey, Instant> bindings = new HashMap<>();
  private final Map<String, Instant> nodeConfigs = new HashMap<>();
  private final Map<String, Instant> podConfigs = new HashMap<>();
  private final Map<String, Instant> policies = new HashMap<>();
  private final Map<String, Instant> queues = new HashMap<>();
  private final Map<String, Instant> namespaces = new HashMap<>();

  /** Returns the times for the current configuration. */
  static InPlaceSince of(ClusterFeed feed) {
    InPlaceSince since = new InPlaceSince();
    for (ConfigMap legacy : feed.legacyPolicies()) {
      WrittenAt.data(legacy)
          .ifPresent(at -> since.policies.put(legacy.getMetadata().getName(), at));
    }
    for (SchedulingPolicy policy : feed.policies()) {
      readySince(policy).ifPresent(at -> since.policies.put(policy.getMetadata().getName(), at));
    }
    for (NodeSchedulerConfig config : feed.nodeConfigs()) {
      readySince(config).ifPresent(at -> since.nodeConfigs.put(config.getMetadata().getName(), at));
    }
    for (PodSchedulerConfig config : feed.podConfigs()) {
      readySince(config).ifPresent(at -> since.podConfigs.put(config.getMetadata().getName(), at));
    }
    for (SchedulingQueue queue : feed.queues()) {
      readySince(queue).ifPresent(at -> since.queues.put(queue.getMetadata().getName(), at));
    }
    for (Namespace namespace : feed.namespaces()) {
      since.namespaces.put(namespace.getMetadata().getName(), WrittenAt.labels(namespace));
    }
    Map<String, Instant> writtenPolicies = written(feed.policies(), policy -> policy.getStatus());
    for (SchedulerConfigBinding binding : feed.bindings()) {
      BindingKey key =
          new BindingKey(binding.getMetadata().getNamespace(), binding.getMetadata().getName());
      since.inPlace(binding, writtenPolicies).ifPresent(at -> since.bindings.put(key, at));
    }
    return since;
  }

  /** Returns whether nothing is in place. */
  boolean isEmpty() {
    return bindings.isEmpty()
        && nodeConfigs.isEmpty()
        && podConfigs.isEmpty()
        && policies.isEmpty();
  }

  /**
   * Returns the time since which the field has been determined as it is now; empty if a part of its
   * configuration is not in place.
   */
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
            case GROUP, QUEUE -> Optional.empty(); // it requires no configuration
          };
    };
  }

  /**
   * Returns the time since which a binding has been in place. A policy whose last good revision
   * serves counts as in place although it is not ready.
   */
  private Optional<Instant> inPlace(
      SchedulerConfigBinding binding, Map<String, Instant> writtenPolicies) {
    @Nullable SchedulerConfigBindingSpec spec = binding.getSpec();
    if (spec == null) {
      return Optional.empty();
    }
    List<Optional<Instant>> moments = new ArrayList<>();
    moments.add(readySince(binding));
    for (ConfigReference reference : spec.nodeConfigs()) {
      moments.add(Optional.ofNullable(nodeConfigs.get(reference.name())));
    }
    for (ConfigReference reference : spec.podConfigs()) {
      moments.add(Optional.ofNullable(podConfigs.get(reference.name())));
    }
    String policy = spec.schedulingPolicy();
    if (policy != null) {
      moments.add(
          Optional.ofNullable(policies.get(policy))
              .or(() -> Optional.ofNullable(writtenPolicies.get(policy))));
    }
    String queue = spec.queue();
    if (queue != null) {
      moments.add(Optional.ofNullable(queues.get(queue)));
    }
    return latest(moments.stream());
  }

  private static <T extends HasMetadata> Map<String, Instant> written(
      List<T> objects, Function<T, @Nullable ResourceStatus> status) {
    Map<String, Instant> written = new HashMap<>();
    for (T object : objects) {
      WrittenAt.spec(object, conditions(status.apply(object)))
          .ifPresent(at -> written.put(object.getMetadata().getName(), at));
    }
    return written;
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
    List<Condition> conditions = conditions(resource.getStatus());
    boolean ready =
        Conditions.find(conditions, Conditions.READY)
            .filter(condition -> "True".equals(condition.getStatus()))
            .filter(
                condition ->
                    Long.valueOf(StatusReconciler.generation(resource))
                        .equals(condition.getObservedGeneration()))
            .isPresent();
    return ready ? WrittenAt.spec(resource, conditions) : Optional.empty();
  }

  private static List<Condition> conditions(@Nullable ResourceStatus status) {
    return status == null ? List.of() : status.conditions();
  }
}
