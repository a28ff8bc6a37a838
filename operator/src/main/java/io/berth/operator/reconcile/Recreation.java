package io.berth.operator.reconcile;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.SchedulerConfigBinding;
import io.berth.crds.binding.Repair;
import io.berth.operator.bind.ApiCalls;
import io.berth.operator.bind.ApiCalls.Answer;
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

  private static final Logger LOG = LoggerFactory.getLogger(Recreation.class);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final ClusterFeed feed;
  private final ApiCalls api;
  private final PodMutator mutator = new PodMutator(ConfigLookup.nothing(), InstantSource.system());

  /** The pods that an owner had when one of them was evicted, by the owner's UID. */
  private final Map<String, Set<String>> evicted = new ConcurrentHashMap<>();

  Recreation(ClusterFeed feed, ApiCalls api) {
    this.feed = feed;
    this.api = api;
  }

  /** Evicts what may be evicted now. */
  void round(List<Lack> lacks, ConfigCatalog catalog) {
    Set<BindingKey> recreating =
        feed.bindings().stream()
            .filter(binding -> binding.getSpec() != null)
            .filter(binding -> binding.getSpec().repair() == Repair.RECREATE)
            .map(Recreation::key)
            .collect(Collectors.toSet());
    Set<String> lacking =
        lacks.stream().map(lack -> lack.pod().ref().uid()).collect(Collectors.toSet());
    evicted.keySet().retainAll(lacks.stream().flatMap(lack -> owner(lack.pod()).stream()).toList());
    int left = A_ROUND;
    for (Lack lack : lacks) {
      Optional<String> owner = owner(lack.pod());
      if (left > 0
          && owner.isPresent()
          && lack.binding().filter(recreating::contains).isPresent()
          && mayEvict(owner.get(), lacking)) {
        left--;
        evict(lack, owner.get(), catalog);
      }
    }
  }

  private boolean mayEvict(String owner, Set<String> lacking) {
    Set<String> before = evicted.get(owner);
    return before == null
        || podsOf(owner).stream().anyMatch(uid -> !before.contains(uid) && !lacking.contains(uid));
  }

  private Set<String> podsOf(String owner) {
    return feed.pods()
        .filter(pod -> owner(pod).equals(Optional.of(owner)))
        .map(pod -> pod.ref().uid())
        .collect(Collectors.toSet());
  }

  /**
   * Asks the API server for the pod as it is, and the mutator whether rendering would change it.
   */
  private void evict(Lack lack, String owner, ConfigCatalog catalog) {
    FedPod pod = lack.pod();
    evicted.put(owner, podsOf(owner));
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
