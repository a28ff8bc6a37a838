package io.berth.operator.reconcile;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.SchedulerConfigBinding;
import io.berth.crds.binding.Repair;
import io.berth.operator.api.Answer;
import io.berth.operator.api.ApiCalls;
import io.berth.operator.feed.ClusterFeed;
import io.berth.operator.feed.FedPod;
import io.berth.webhook.admission.ConfigLookup;
import io.berth.webhook.admission.PodMutator;
import io.berth.webhook.admission.PodVerdict;
import io.berth.webhook.binding.BindingKey;
import io.berth.webhook.binding.ConfigCatalog;
import io.fabric8.kubernetes.api.model.OwnerReference;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Evicts pods that lack a binding with {@code repair: Recreate}, so that their controllers make
 * them anew: one of each owner until a rendered one has come in its place, and a few a round.
 */
final class Recreation {

  /** With a round every ten seconds, 30 a minute. */
  static final int A_ROUND = 5;

  /** An hour: after that an owner without pods is not expected to make any. */
  private static final int ROUNDS_REMEMBERED = 360;

  private static final Logger LOG = LoggerFactory.getLogger(Recreation.class);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final ClusterFeed feed;
  private final ApiCalls api;
  private final PodMutator mutator = new PodMutator(ConfigLookup.nothing(), InstantSource.system());

  /** What was evicted last of each owner, by the owner's UID, until a rendered pod has come. */
  private final Map<String, Evicted> evicted = new ConcurrentHashMap<>();

  private long round;

  /**
   * A pod of an owner was evicted.
   *
   * @param pods the UIDs of all pods that the owner had then
   * @param round when it was
   */
  private record Evicted(Set<String> pods, long round) {}

  Recreation(ClusterFeed feed, ApiCalls api) {
    this.feed = feed;
    this.api = api;
  }

  /** Evicts what may be evicted now. */
  void round(List<Lack> lacks, ConfigCatalog catalog) {
    round++;
    Set<BindingKey> recreating =
        feed.bindings().stream()
            .filter(binding -> binding.getSpec() != null)
            .filter(binding -> binding.getSpec().repair() == Repair.RECREATE)
            .map(Recreation::key)
            .collect(Collectors.toSet());
    Map<String, Set<String>> podsOf = podsOfOwners(lacks);
    Set<String> lacking =
        lacks.stream().map(lack -> lack.pod().ref().uid()).collect(Collectors.toSet());
    evicted
        .entrySet()
        .removeIf(
            entry ->
                isOver(entry.getValue(), podsOf.getOrDefault(entry.getKey(), Set.of()), lacking));
    int left = A_ROUND;
    for (Lack lack : lacks) {
      Optional<String> owner = owner(lack.pod());
      if (left > 0
          && owner.isPresent()
          && !evicted.containsKey(owner.get())
          && lack.binding().filter(recreating::contains).isPresent()) {
        left--;
        evict(lack, owner.get(), podsOf.getOrDefault(owner.get(), Set.of()), catalog);
      }
    }
  }

  /**
   * Whether the owner's next pod may go: a rendered one has come, or the owner has had no pods for
   * long and is gone. An owner that lacks nothing for a moment has not been given a rendered pod by
   * that.
   */
  private boolean isOver(Evicted last, Set<String> pods, Set<String> lacking) {
    boolean replaced =
        pods.stream().anyMatch(uid -> !last.pods().contains(uid) && !lacking.contains(uid));
    return replaced || (pods.isEmpty() && round - last.round() > ROUNDS_REMEMBERED);
  }

  /** The UIDs of the pods of each owner that matters now, by the owner's UID. */
  private Map<String, Set<String>> podsOfOwners(List<Lack> lacks) {
    Set<String> owners = new HashSet<>(evicted.keySet());
    lacks.forEach(lack -> owner(lack.pod()).ifPresent(owners::add));
    Map<String, Set<String>> pods = new HashMap<>();
    if (!owners.isEmpty()) {
      feed.pods()
          .forEach(
              pod ->
                  owner(pod)
                      .filter(owners::contains)
                      .ifPresent(
                          owner ->
                              pods.computeIfAbsent(owner, o -> new HashSet<>())
                                  .add(pod.ref().uid())));
    }
    return pods;
  }

  /**
   * Asks the API server for the pod as it is, and the mutator whether rendering would change it.
   */
  private void evict(Lack lack, String owner, Set<String> podsOfOwner, ConfigCatalog catalog) {
    FedPod pod = lack.pod();
    evicted.put(owner, new Evicted(podsOfOwner, round));
    String path = "/api/v1/namespaces/" + pod.ref().namespace() + "/pods/" + pod.ref().name();
    api.get(
        path,
        answer -> {
          if (answer.ok()
              && isAsCreated(answer.json())
              && wouldChange(pod, answer.json(), catalog)) {
            api.post(path + "/eviction", eviction(pod), evicted -> answered(lack, owner, evicted));
          } else {
            evicted.remove(owner);
          }
        });
  }

  /** A pod that was labelled after it had come may not have been the binding's business then. */
  static boolean isAsCreated(JsonNode pod) {
    String created = pod.at("/metadata/creationTimestamp").asText("");
    for (JsonNode entry : pod.at("/metadata/managedFields")) {
      String time = entry.path("time").asText("");
      if (entry.at("/fieldsV1/f:metadata").has("f:labels")
          && !time.isEmpty()
          && Instant.parse(time).isAfter(Instant.parse(created).plusSeconds(1))) {
        return false;
      }
    }
    return true;
  }

  private boolean wouldChange(FedPod pod, JsonNode json, ConfigCatalog catalog) {
    return json.at("/metadata/uid").asText().equals(pod.ref().uid())
        && mutator.mutate(pod.ref().namespace(), json, catalog)
            instanceof PodVerdict.Admitted admitted
        && !admitted.patch().isEmpty();
  }

  private void answered(Lack lack, String owner, Answer answer) {
    if (answer.ok()) {
      LOG.info("Evicted pod {}, to be made anew with {}", lack.pod().ref(), lack.asker());
    } else {
      evicted.remove(owner); // a disruption budget says not now, or the pod is gone
      LOG.info("Pod {} was not evicted: {}", lack.pod().ref(), answer.message());
    }
  }

  private static BindingKey key(SchedulerConfigBinding binding) {
    return new BindingKey(binding.getMetadata().getNamespace(), binding.getMetadata().getName());
  }

  private static Optional<String> owner(FedPod pod) {
    return pod.controller().map(OwnerReference::getUid);
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
