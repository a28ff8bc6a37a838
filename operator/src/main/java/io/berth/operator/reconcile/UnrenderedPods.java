package io.berth.operator.reconcile;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.Annotations;
import io.berth.crds.SchedulerConfigBinding;
import io.berth.crds.binding.Repair;
import io.berth.operator.bind.ApiCalls;
import io.berth.operator.bind.ApiCalls.Answer;
import io.berth.operator.feed.ClusterFeed;
import io.berth.operator.feed.FedPod;
import io.berth.operator.record.EventRecorder;
import io.berth.operator.record.ObjectEvent;
import io.berth.operator.record.ObjectEvent.Subject;
import io.berth.webhook.admission.ConfigLookup;
import io.berth.webhook.admission.PodMutator;
import io.berth.webhook.admission.PodVerdict;
import io.berth.webhook.binding.BindingKey;
import io.berth.webhook.binding.Choice;
import io.berth.webhook.binding.ConfigCatalog;
import io.berth.webhook.binding.Source;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.OwnerReference;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds pods that were admitted without a binding that reached them then, because the webhook was
 * away; counts them, reports them on pod and owner, and where the binding says {@code repair:
 * Recreate} evicts them, so that their controller makes them anew: one per owner until a rendered
 * one has come, and few at a time.
 */
final class UnrenderedPods {

  private static final Logger LOG = LoggerFactory.getLogger(UnrenderedPods.class);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int EVICTIONS_A_ROUND = 5;
  private static final int REMEMBERED = 10_000;

  /**
   * A binding may be served by the API server a moment before every webhook replica has seen it.
   */
  private static final Duration SETTLED = Duration.ofSeconds(2);

  private final ClusterFeed feed;
  private final Supplier<ConfigCatalog> catalog;
  private final ApiCalls api;
  private final EventRecorder events;
  private final PodMutator mutator = new PodMutator(ConfigLookup.nothing(), InstantSource.system());

  private final Set<String> reported = new HashSet<>();
  private final Map<String, Instant> evictedOfOwner = new ConcurrentHashMap<>();
  private volatile Map<BindingKey, Integer> counts = Map.of();

  /** A pod and the binding that it lacks. */
  private record Lack(FedPod pod, BindingKey binding) {}

  UnrenderedPods(
      ClusterFeed feed, Supplier<ConfigCatalog> catalog, ApiCalls api, EventRecorder events) {
    this.feed = feed;
    this.catalog = catalog;
    this.api = api;
    this.events = events;
  }

  /** How many pods lack the binding. */
  int count(BindingKey binding) {
    return counts.getOrDefault(binding, 0);
  }

  /** Looks once; called by one thread, a few times a minute. */
  void look(Instant now) {
    ConfigCatalog current = catalog.get();
    Map<BindingKey, SchedulerConfigBinding> bindings = new HashMap<>();
    for (SchedulerConfigBinding binding : feed.bindings()) {
      if (servedSince(binding).isPresent()) {
        bindings.put(
            new BindingKey(binding.getMetadata().getNamespace(), binding.getMetadata().getName()),
            binding);
      }
    }
    List<Lack> lacks = new ArrayList<>();
    if (!bindings.isEmpty()) {
      feed.pods()
          .filter(pod -> isCandidate(pod, current))
          .forEach(pod -> lacks.addAll(lacks(pod, current, bindings)));
    }
    counts =
        lacks.stream()
            .collect(Collectors.groupingBy(Lack::binding, Collectors.summingInt(lack -> 1)));
    report(lacks);
    int left = EVICTIONS_A_ROUND;
    for (Lack lack : lacks) {
      SchedulerConfigBinding binding = bindings.get(lack.binding());
      if (left > 0
          && binding != null
          && binding.getSpec().repair() == Repair.RECREATE
          && mayEvict(lack.pod(), lacks)) {
        left--;
        evict(lack, current, now);
      }
    }
  }

  private static boolean isCandidate(FedPod pod, ConfigCatalog catalog) {
    String namespace = pod.ref().namespace();
    return !pod.finished()
        && !pod.terminating()
        && !pod.mirror()
        && !namespace.equals("kube-system")
        && !namespace.equals(catalog.operatorNamespace());
  }

  private static List<Lack> lacks(
      FedPod pod, ConfigCatalog catalog, Map<BindingKey, SchedulerConfigBinding> bindings) {
    String applied = pod.annotations().getOrDefault(Annotations.APPLIED, "");
    List<Lack> lacks = new ArrayList<>();
    Set<BindingKey> seen = new HashSet<>();
    for (Choice choice : catalog.resolve(PodCounts.subject(pod)).choices()) {
      if (choice.source() instanceof Source.OfBinding(BindingKey key, long generation)
          && bindings.containsKey(key)
          && seen.add(key)
          && !applied.contains("binding " + key + "@")) {
        Optional<Instant> since = servedSince(bindings.get(key));
        if (since.isPresent() && pod.createdAt().isAfter(since.get().plus(SETTLED))) {
          lacks.add(new Lack(pod, key));
        }
      }
    }
    return lacks;
  }

  /** Since when the binding is served as it is now; empty while it is not ready. */
  private static Optional<Instant> servedSince(SchedulerConfigBinding binding) {
    if (binding.getStatus() == null) {
      return Optional.empty();
    }
    List<Condition> conditions = binding.getStatus().conditions();
    boolean ready =
        Conditions.find(conditions, Conditions.READY)
            .map(condition -> "True".equals(condition.getStatus()))
            .orElse(false);
    return ready
        ? Conditions.servedSince(conditions, StatusReconciler.generation(binding))
        : Optional.empty();
  }

  private void report(List<Lack> lacks) {
    if (reported.size() > REMEMBERED) {
      reported.clear();
    }
    for (Lack lack : lacks) {
      FedPod pod = lack.pod();
      if (!reported.add(pod.ref().uid() + " " + lack.binding())) {
        continue;
      }
      String note =
          "pod %s was admitted without SchedulerConfigBinding %s: Berth's webhook was away when it was created"
              .formatted(pod.ref(), lack.binding());
      events.report(ObjectEvent.warning(Subject.pod(pod.ref()), "Unrendered", "Repairing", note));
      pod.controller()
          .ifPresent(
              owner ->
                  events.report(
                      ObjectEvent.warning(subject(owner, pod), "Unrendered", "Repairing", note)));
    }
  }

  private static Subject subject(OwnerReference owner, FedPod pod) {
    return new Subject(
        owner.getApiVersion(),
        owner.getKind(),
        pod.ref().namespace(),
        owner.getName(),
        owner.getUid());
  }

  /** After an eviction, the owner's next pod goes only when a rendered one has come. */
  private boolean mayEvict(FedPod pod, List<Lack> lacks) {
    if (pod.controller().isEmpty()) {
      return false;
    }
    String owner = pod.controller().get().getUid();
    Instant evicted = evictedOfOwner.get(owner);
    if (evicted == null) {
      return true;
    }
    Set<String> unrendered =
        lacks.stream().map(lack -> lack.pod().ref().uid()).collect(Collectors.toSet());
    return feed.pods()
        .anyMatch(
            other ->
                other.controller().map(OwnerReference::getUid).equals(Optional.of(owner))
                    && !other.createdAt().isBefore(evicted)
                    && !unrendered.contains(other.ref().uid()));
  }

  /**
   * Asks the API server for the pod as it is, and the mutator whether rendering would change it.
   */
  private void evict(Lack lack, ConfigCatalog current, Instant now) {
    FedPod pod = lack.pod();
    String owner = pod.controller().orElseThrow().getUid();
    evictedOfOwner.put(owner, now);
    String path = "/api/v1/namespaces/" + pod.ref().namespace() + "/pods/" + pod.ref().name();
    api.get(
        path,
        answer -> {
          if (answer.ok() && wouldChange(pod, answer.json(), current)) {
            api.post(path + "/eviction", eviction(pod), evicted -> evicted(lack, owner, evicted));
          } else {
            evictedOfOwner.remove(owner);
          }
        });
  }

  private boolean wouldChange(FedPod pod, JsonNode json, ConfigCatalog current) {
    return json.at("/metadata/uid").asText().equals(pod.ref().uid())
        && mutator.mutate(pod.ref().namespace(), json, current)
            instanceof PodVerdict.Admitted admitted
        && !admitted.patch().isEmpty();
  }

  private void evicted(Lack lack, String owner, Answer answer) {
    if (answer.ok()) {
      LOG.info("Evicted pod {}, to be made anew with {}", lack.pod().ref(), lack.binding());
    } else {
      evictedOfOwner.remove(owner); // a disruption budget says not now, or the pod is gone
      LOG.info("Pod {} was not evicted: {}", lack.pod().ref(), answer.message());
    }
  }

  private static ObjectNode eviction(FedPod pod) {
    ObjectNode eviction = JSON.createObjectNode();
    eviction.put("apiVersion", "policy/v1").put("kind", "Eviction");
    eviction
        .putObject("metadata")
        .put("namespace", pod.ref().namespace())
        .put("name", pod.ref().name());
    ObjectNode options = JsonNodeFactory.instance.objectNode();
    options.putObject("preconditions").put("uid", pod.ref().uid());
    eviction.set("deleteOptions", options);
    return eviction;
  }
}
