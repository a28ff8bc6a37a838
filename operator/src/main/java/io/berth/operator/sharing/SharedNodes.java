package io.berth.operator.sharing;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.kube.KubeEvents;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import io.berth.engine.model.ResourceAmounts;
import io.berth.operator.api.Answer;
import io.berth.operator.api.LogKeys;
import io.berth.operator.feed.FedPod;
import io.berth.operator.gpu.CardProtocols;
import io.berth.operator.record.Metric;
import io.berth.operator.record.ObjectEvent;
import io.berth.operator.record.ObjectEvent.Subject;
import io.berth.operator.sharing.Overcommit.Resident;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a node's pods back after bindings, for policies with {@code sharedNodes: Verify}, and
 * evicts the youngest of their pods if another scheduler has allocated the same resources.
 *
 * <p>(1) A node is read when such a pod is bound to it, and again when any other pod is bound to it
 * within {@link #RACE}: if two schedulers race, the later read sees both bindings. Reads are
 * consistent, one per node for any number of bindings, and at most one every {@link #PAUSE}. (2)
 * Only pods that name such a policy and were bound within {@link #RACE} are evicted, so that a node
 * whose allocatable resources shrink for another reason loses no pods. (3) Terminating pods count
 * as gone, so that each excess is resolved once; no pod is evicted twice. (4) A pod whose author
 * has written {@code spec.nodeName} counts only once the kubelet has accepted it, since anybody who
 * may create pods can write that, and the kubelet may reject the pod. (5) Before an eviction, the
 * node is read again.
 */
final class SharedNodes implements AutoCloseable {

  static final Duration RACE = Duration.ofMinutes(2);
  static final Duration PAUSE = Duration.ofMillis(20);

  private static final Duration TRY_AGAIN = Duration.ofSeconds(10);
  private static final int REMEMBERED = 10_000;
  private static final Logger LOG = LoggerFactory.getLogger(SharedNodes.class);
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private final NodeSharing.Parts parts;
  private final KubeEvents reading = new KubeEvents(new CardProtocols());
  private final Thread worker;

  // Guarded by this.
  private final Map<String, Instant> due = new LinkedHashMap<>();
  private final Map<String, Instant> contested = new HashMap<>();
  private final Map<String, Boolean> evicted =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
          return size() > REMEMBERED;
        }
      };

  SharedNodes(NodeSharing.Parts parts) {
    this.parts = parts;
    this.worker = Thread.ofVirtual().name("verify-nodes").unstarted(this::run);
  }

  void start() {
    worker.start();
  }

  @Override
  public void close() {
    worker.interrupt();
  }

  /** Processes a change of a pod. */
  void changed(@Nullable FedPod before, FedPod now) {
    boolean newlyBound =
        !now.nodeName().isEmpty() && (before == null || before.nodeName().isEmpty());
    boolean newlyAccepted = isAccepted(now) && (before == null || !isAccepted(before));
    if (now.finished() || (!newlyBound && !newlyAccepted)) {
      return;
    }
    Instant at = parts.clock().instant();
    boolean own = isVerified(now.schedulerName(), now.policy());
    if (own && now.createdAt().isBefore(at.minus(RACE)) && before == null) {
      return; // bound before this term
    }
    synchronized (this) {
      if (own && newlyBound) {
        contested.put(now.nodeName(), at);
      }
      Instant since = contested.get(now.nodeName());
      if (since != null && !since.plus(RACE).isBefore(at)) {
        due.putIfAbsent(now.nodeName(), at);
        notifyAll();
      }
    }
  }

  private static boolean isAccepted(FedPod pod) {
    return !pod.nodeName().isEmpty()
        && pod.event() instanceof ClusterEvent.PodUpserted(PodModel model, var _)
        && model.startedAt().isPresent();
  }

  private boolean isVerified(String scheduler, String policy) {
    return parts.schedulerNames().contains(scheduler) && parts.verifies().test(policy);
  }

  private void run() {
    while (true) {
      try {
        verify(nextDue());
        Thread.sleep(PAUSE);
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  private void verify(String node) {
    try {
      check(node);
    } catch (RuntimeException e) {
      LogKeys.node(node)
          .error(LOG, "Verifying node %s failed; continuing with the next".formatted(node), e);
    }
  }

  private synchronized String nextDue() throws InterruptedException {
    while (true) {
      Instant now = parts.clock().instant();
      contested.values().removeIf(since -> since.plus(RACE).isBefore(now));
      Optional<String> next =
          due.entrySet().stream()
              .filter(entry -> !entry.getValue().isAfter(now))
              .map(Map.Entry::getKey)
              .findFirst();
      if (next.isPresent()) {
        due.remove(next.get());
        return next.get();
      }
      if (due.isEmpty()) {
        wait();
      } else {
        wait(100);
      }
    }
  }

  private synchronized void again(String node) {
    due.putIfAbsent(node, parts.clock().instant().plus(TRY_AGAIN));
    notifyAll();
  }

  private void check(String node) {
    Optional<ResourceAmounts> allocatable = parts.feed().node(node).flatMap(this::allocatable);
    if (allocatable.isEmpty()) {
      return;
    }
    List<PodRef> leaving = leaving(node, allocatable.get());
    if (leaving.isEmpty()) {
      return;
    }
    // A pod that was counted may be gone, or rejected by its kubelet.
    List<PodRef> stillLeaving = leaving(node, allocatable.get());
    leaving.stream().filter(stillLeaving::contains).forEach(victim -> evict(node, victim));
  }

  /** Returns the pods to evict from the node as it is now. */
  private List<PodRef> leaving(String node, ResourceAmounts allocatable) {
    List<Pod> pods;
    try {
      // A list without a resourceVersion is consistent: it shows what is committed, not a cached
      // state.
      pods =
          parts.client().pods().inAnyNamespace().withField("spec.nodeName", node).list().getItems();
    } catch (KubernetesClientException e) {
      LogKeys.node(node)
          .warn(LOG)
          .accept(
              "Node %s could not be verified: %s; retrying in %d s"
                  .formatted(node, e.getMessage(), TRY_AGAIN.toSeconds()));
      again(node);
      return List.of();
    }
    parts.metrics().count(Metric.SHARED_NODES_VERIFIED);
    Optional<List<Resident>> residents = residents(pods);
    if (residents.isEmpty()) {
      return List.of(); // a pod that cannot be parsed has unknown requests
    }
    return Overcommit.cure(allocatable, residents.get()).stream().map(Resident::ref).toList();
  }

  private Optional<ResourceAmounts> allocatable(io.fabric8.kubernetes.api.model.Node node) {
    return reading.upserted(node) instanceof ClusterEvent.NodeUpserted(var model, var _)
        ? Optional.of(model.allocatable())
        : Optional.empty();
  }

  private Optional<List<Resident>> residents(List<Pod> pods) {
    List<Resident> residents = new ArrayList<>();
    for (Pod pod : pods) {
      if (!(reading.upserted(pod) instanceof ClusterEvent.PodUpserted read)) {
        return Optional.empty();
      }
      PodModel model = read.pod();
      if (!model.finished() && !model.terminating() && !isEvicted(model.ref())) {
        Optional<Instant> scheduledAt = boundAt(pod);
        if (scheduledAt.isEmpty() && model.startedAt().isEmpty()) {
          continue; // its author has chosen the node, and the kubelet has not accepted it
        }
        Instant boundAt = scheduledAt.orElse(model.createdAt());
        boolean recent = boundAt.isAfter(parts.clock().instant().minus(RACE));
        boolean evictable = recent && isVerified(model.schedulerName(), model.policy());
        residents.add(
            new Resident(model.ref(), model.spec().requests().held(), boundAt, evictable));
      }
    }
    return Optional.of(residents);
  }

  private synchronized boolean isEvicted(PodRef pod) {
    return evicted.containsKey(pod.uid());
  }

  /** Returns the time of the Binding; empty if the API server has not seen one. */
  private static Optional<Instant> boundAt(Pod pod) {
    if (pod.getStatus() == null || pod.getStatus().getConditions() == null) {
      return Optional.empty();
    }
    return pod.getStatus().getConditions().stream()
        .filter(condition -> "PodScheduled".equals(condition.getType()))
        .filter(condition -> "True".equals(condition.getStatus()))
        .map(PodCondition::getLastTransitionTime)
        .filter(time -> time != null && !time.isEmpty())
        .map(Instant::parse)
        .findFirst();
  }

  private void evict(String node, PodRef victim) {
    synchronized (this) {
      if (evicted.put(victim.uid(), true) != null) {
        return;
      }
    }
    parts
        .api()
        .post(
            "/api/v1/namespaces/" + victim.namespace() + "/pods/" + victim.name() + "/eviction",
            eviction(victim),
            answer -> evicted(node, victim, answer));
  }

  private void evicted(String node, PodRef victim, Answer answer) {
    if (answer.ok()) {
      LogKeys.pod(victim)
          .andNode(node)
          .info(LOG)
          .accept(
              "Evicted pod %s from node %s, which another scheduler had filled"
                  .formatted(victim, node));
      parts.metrics().count(Metric.SHARED_NODES_EVICTIONS);
      parts
          .events()
          .report(
              ObjectEvent.warning(
                  Subject.pod(victim),
                  "NodeOvercommitted",
                  "Evicting",
                  "Evicted from node "
                      + node
                      + ": another scheduler bound pods there at the same time, and together they"
                      + " request more than the node has"));
    } else if (answer.code() != 404 && answer.code() != 409) {
      LogKeys.pod(victim)
          .andNode(node)
          .info(LOG)
          .accept(
              "Pod %s could not be evicted from the overcommitted node %s: %s; retrying in %d s"
                  .formatted(victim, node, answer.message(), TRY_AGAIN.toSeconds()));
      synchronized (this) {
        evicted.remove(victim.uid());
      }
      again(node);
    }
  }

  private static ObjectNode eviction(PodRef victim) {
    ObjectNode eviction = JSON.objectNode();
    eviction.put("apiVersion", "policy/v1").put("kind", "Eviction");
    eviction.putObject("metadata").put("namespace", victim.namespace()).put("name", victim.name());
    eviction.putObject("deleteOptions").putObject("preconditions").put("uid", victim.uid());
    return eviction;
  }
}
