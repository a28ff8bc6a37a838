package io.berth.operator.reconcile;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.SchedulerConfigBinding;
import io.berth.crds.binding.Repair;
import io.berth.engine.model.PodRef;
import io.berth.operator.api.ApiCalls;
import io.berth.operator.api.LogKeys;
import io.berth.operator.feed.ClusterFeed;
import io.berth.operator.feed.FedPod;
import io.berth.rules.retry.DoublingPause;
import io.berth.webhook.admission.ConfigLookup;
import io.berth.webhook.admission.PodMutator;
import io.berth.webhook.admission.PodVerdict;
import io.berth.webhook.binding.BindingKey;
import io.berth.webhook.binding.ConfigCatalog;
import io.fabric8.kubernetes.api.model.OwnerReference;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Evicts pods that lack a binding with {@code repair: Recreate}, so that their controllers recreate
 * them: one pod per owner until its replacement exists or the owner needs none, and a few per
 * round, which namespaces take in turns.
 *
 * <p>A pod is evicted only if a dry run shows that its replacement would be rendered. If the
 * replacement is not rendered nevertheless, the owner is skipped for a period that doubles each
 * time.
 */
final class Recreation {

  /** The number of evictions per round; with a round every ten seconds, 30 a minute. */
  static final int A_ROUND = 5;

  /** The times for which an owner is skipped after its new pod was not rendered. */
  static final DoublingPause PAUSE =
      new DoublingPause(Duration.ofMinutes(1), Duration.ofMinutes(32));

  /** The time after which an owner without pods is no longer expected to create any. */
  private static final Duration REMEMBERED = Duration.ofHours(1);

  private static final Logger LOG = LoggerFactory.getLogger(Recreation.class);
  private static final ObjectMapper JSON = new ObjectMapper();

  private static final int GONE = 404;

  /** The obstacle if no pods are recreated in this installation. */
  static final String DISABLED =
      "the feature repair is off: switch it on (repair.enabled in the chart), or recreate the pods"
          + " yourself";

  private final ClusterFeed feed;
  private final ApiCalls api;
  private final PodMutator mutator = new PodMutator(ConfigLookup.nothing(), InstantSource.system());

  private final Trial trial;
  private final NamespaceTurns turns = new NamespaceTurns();
  private final InstantSource clock;
  private final boolean enabled;

  /**
   * The last eviction for each owner, by the owner's UID, until a rendered pod exists, or the owner
   * has all its pods.
   */
  private final Map<String, Evicted> evicted = new ConcurrentHashMap<>();

  /**
   * The reasons why pods were not evicted, by binding, so that the same reason is not logged in
   * every round.
   */
  private final Map<BindingKey, String> obstacles = new ConcurrentHashMap<>();

  /** A dry run of a pod's replacement. */
  @FunctionalInterface
  interface Trial {

    /**
     * Performs the dry run.
     *
     * @param pod the pod as the API server returns it
     * @param binding the binding that the pod lacks
     * @param then receives the reason why the replacement would lack the binding as well; empty if
     *     it would not
     */
    void of(JsonNode pod, BindingKey binding, Consumer<Optional<String>> then);
  }

  /**
   * An eviction of one of an owner's pods.
   *
   * @param pod the UID of the evicted pod
   * @param pods the UIDs of all pods that the owner had then
   * @param at the time of the eviction
   * @param inVain the number of preceding evictions in a row whose replacement was unrendered
   */
  private record Evicted(String pod, Set<String> pods, Instant at, int inVain) {
    Instant pauseEnds() {
      return at.plus(PAUSE.before(inVain + 1));
    }
  }

  /**
   * @param enabled whether pods may be evicted; otherwise bindings that request it say that they
   *     are not repaired
   */
  Recreation(ClusterFeed feed, ApiCalls api, Trial trial, boolean enabled, InstantSource clock) {
    this.enabled = enabled;
    this.clock = clock;
    this.feed = feed;
    this.api = api;
    this.trial = trial;
  }

  /**
   * Returns why pods that lack a binding were not recreated last; empty if nothing was in the way.
   */
  Optional<String> obstacle(BindingKey binding) {
    return Optional.ofNullable(obstacles.get(binding));
  }

  /** Evicts the pods that may be evicted now. */
  void round(List<MissedRendering> missed, ConfigCatalog catalog) {
    Set<BindingKey> recreating =
        feed.bindings().stream()
            .filter(binding -> binding.getSpec() != null)
            .filter(binding -> binding.getSpec().repair() == Repair.RECREATE)
            .map(Recreation::key)
            .collect(Collectors.toSet());
    Map<String, List<FedPod>> podsOf = podsOfOwners(missed);
    Set<String> lacking =
        missed.stream().map(rendering -> rendering.pod().ref().uid()).collect(Collectors.toSet());
    evicted
        .entrySet()
        .removeIf(
            entry ->
                isOver(entry.getValue(), podsOf.getOrDefault(entry.getKey(), List.of()), lacking));
    Set<BindingKey> stillLacking =
        missed.stream()
            .flatMap(rendering -> rendering.binding().stream())
            .collect(Collectors.toSet());
    obstacles.keySet().retainAll(recreating);
    obstacles.keySet().retainAll(stillLacking);
    if (!enabled) {
      recreating.stream()
          .filter(stillLacking::contains)
          .forEach(binding -> obstacles.put(binding, DISABLED));
      return;
    }
    Map<String, Candidate> candidates = new LinkedHashMap<>(); // one pod per owner
    for (MissedRendering rendering : missed) {
      Optional<String> owner = owner(rendering.pod());
      Optional<BindingKey> binding = rendering.binding().filter(recreating::contains);
      if (owner.isPresent()
          && binding.isPresent()
          && mayGo(owner.get(), podsOf.getOrDefault(owner.get(), List.of()))) {
        candidates.putIfAbsent(
            owner.get(), new Candidate(rendering.pod(), binding.get(), owner.get()));
      }
    }
    turns
        .take(A_ROUND, candidates.values(), candidate -> candidate.pod().ref().namespace())
        .forEach(
            candidate ->
                consider(candidate, podsOf.getOrDefault(candidate.owner(), List.of()), catalog));
  }

  /**
   * Returns whether a rendered replacement exists, or the owner has all pods that it shall have
   * because it was scaled down meanwhile, or it has had no pods for so long that it is considered
   * deleted.
   */
  private boolean isOver(Evicted last, List<FedPod> pods, Set<String> lacking) {
    boolean replaced =
        uids(pods).stream().anyMatch(uid -> !last.pods().contains(uid) && !lacking.contains(uid));
    return replaced
        || isComplete(last, pods)
        || (pods.isEmpty() && clock.instant().isAfter(last.at().plus(REMEMBERED)));
  }

  private boolean isComplete(Evicted last, List<FedPod> pods) {
    List<FedPod> staying =
        pods.stream().filter(pod -> !pod.terminating() && !hasEnded(pod)).toList();
    if (staying.isEmpty() || uids(staying).contains(last.pod())) {
      return false; // the pod is still to go
    }
    FedPod any = staying.getFirst();
    OptionalInt replicas =
        any.controller()
            .map(owner -> feed.replicas(any.ref().namespace(), owner))
            .orElse(OptionalInt.empty());
    return replicas.isPresent() && staying.size() >= replicas.getAsInt();
  }

  private static boolean hasEnded(FedPod pod) {
    return pod.phase().equals("Succeeded") || pod.phase().equals("Failed");
  }

  /**
   * Returns whether one of the owner's pods may be evicted: none has been evicted yet, or the last
   * replacement was not rendered although it should have been, and the pause since then is over.
   */
  private boolean mayGo(String owner, List<FedPod> pods) {
    Evicted last = evicted.get(owner);
    return last == null
        || (!last.pods().containsAll(uids(pods)) && clock.instant().isAfter(last.pauseEnds()));
  }

  private static Set<String> uids(List<FedPod> pods) {
    return pods.stream().map(pod -> pod.ref().uid()).collect(Collectors.toSet());
  }

  /** Returns the pods of each relevant owner, by the owner's UID. */
  private Map<String, List<FedPod>> podsOfOwners(List<MissedRendering> missed) {
    Set<String> owners = new HashSet<>(evicted.keySet());
    missed.forEach(rendering -> owner(rendering.pod()).ifPresent(owners::add));
    return owners.isEmpty()
        ? Map.of()
        : feed.pods()
            .filter(pod -> owner(pod).filter(owners::contains).isPresent())
            .collect(Collectors.groupingBy(pod -> owner(pod).orElseThrow()));
  }

  /** A pod that may be evicted because of a binding. */
  private record Candidate(FedPod pod, BindingKey binding, String owner) {
    String path() {
      return "/api/v1/namespaces/" + pod.ref().namespace() + "/pods/" + pod.ref().name();
    }
  }

  /**
   * Reads the current pod, checks that rendering would change it, and has the API server dry-run
   * its replacement.
   */
  private void consider(Candidate candidate, List<FedPod> podsOfOwner, ConfigCatalog catalog) {
    @Nullable Evicted before = evicted.get(candidate.owner());
    int inVain = before == null ? 0 : before.inVain() + 1;
    evicted.put(
        candidate.owner(),
        new Evicted(candidate.pod().ref().uid(), uids(podsOfOwner), clock.instant(), inVain));
    api.get(
        candidate.path(),
        answer -> {
          JsonNode pod = answer.json();
          if (!answer.ok() && !answer.wasNotSent() && answer.code() != GONE) {
            leave(candidate, before, "the pod cannot be read: " + answer.message());
            return;
          }
          if (!answer.ok() || !isAsCreated(pod) || !wouldChange(candidate.pod(), pod, catalog)) {
            takeBack(candidate, before);
            return;
          }
          trial.of(
              pod,
              candidate.binding(),
              obstacle ->
                  obstacle.ifPresentOrElse(
                      why -> leave(candidate, before, why), () -> evict(candidate, before)));
        });
  }

  private void takeBack(Candidate candidate, @Nullable Evicted before) {
    if (before == null) {
      evicted.remove(candidate.owner());
    } else {
      evicted.put(candidate.owner(), before);
    }
  }

  private void leave(Candidate candidate, @Nullable Evicted before, String why) {
    takeBack(candidate, before);
    if (!why.equals(obstacles.put(candidate.binding(), why))) {
      PodRef pod = candidate.pod().ref();
      LogKeys.pod(pod)
          .info(LOG)
          .accept(
              "Pod %s lacks SchedulerConfigBinding %s and is not evicted: %s"
                  .formatted(pod, candidate.binding(), why));
    }
  }

  private void evict(Candidate candidate, @Nullable Evicted before) {
    obstacles.remove(candidate.binding());
    PodRef pod = candidate.pod().ref();
    api.post(
        candidate.path() + "/eviction",
        eviction(candidate.pod()),
        answer -> {
          if (answer.ok()) {
            LogKeys.pod(pod)
                .info(LOG)
                .accept(
                    "Evicted pod %s, so that it is recreated with SchedulerConfigBinding %s"
                        .formatted(pod, candidate.binding()));
          } else {
            takeBack(candidate, before); // rejected by a disruption budget, or the pod is gone
            LogKeys.pod(pod)
                .info(LOG)
                .accept("Pod %s was not evicted: %s".formatted(pod, answer.message()));
            if (!answer.wasNotSent() && answer.code() != GONE) {
              obstacles.put(candidate.binding(), "the eviction was refused: " + answer.message());
            }
          }
        });
  }

  /**
   * Returns whether the labels are unchanged since creation: a pod that was labelled later may not
   * have matched the binding then.
   */
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
