package io.berth.engine.whatif;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.ClusterEvent.PodAssumed;
import io.berth.engine.api.ClusterEvent.PolicyServed;
import io.berth.engine.api.Decision;
import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Changes of a mirror that {@link #close} undoes. Trials can be nested: close the inner one first.
 */
final class Trial implements AutoCloseable {
  private final Mirror mirror;
  private final Instant now;

  /** The state before this trial of what it has changed. */
  private final Map<PodRef, Before> pods = new LinkedHashMap<>();

  private final Map<String, Optional<NodeModel>> nodes = new LinkedHashMap<>();
  private final Map<String, Optional<PolicyServed>> policies = new LinkedHashMap<>();
  private Optional<String> defaultPolicy = Optional.empty();

  private record Before(Optional<PodModel> pod, Optional<PodAssumed> assumed) {}

  Trial(Mirror mirror, Instant now) {
    this.mirror = mirror;
    this.now = now;
  }

  /** Lets the engine place a pod, which must be pending and have no gates. */
  void place(PodModel pod) {
    remember(pod.ref());
    mirror.applyForTrial(new ClusterEvent.PodUpserted(pod), now);
  }

  /** Makes a pod that this trial has placed so important that no other pod displaces it. */
  void keep(PodModel pod, Decision.Placed placed) {
    remove(pod.ref());
    place(PodVariant.of(pod).mostImportant().build());
    mirror.applyForTrial(
        new PodAssumed(pod.ref(), placed.nodeName(), placed.preBind(), placed.assignments()), now);
  }

  /** Removes a pod. */
  void remove(PodRef pod) {
    remember(pod);
    withdraw(pod);
  }

  /** Removes a pod, and gives back the devices that stay in use until its Binding has failed. */
  private void withdraw(PodRef pod) {
    mirror.apply(new ClusterEvent.PodRemoved(pod), now);
    mirror.apply(new ClusterEvent.BindingFailed(pod, "tried", false), now);
  }

  /** Remembers a pod that a decision may change otherwise than by its placement. */
  void remember(PodRef pod) {
    pods.computeIfAbsent(
        pod,
        ref ->
            new Before(
                mirror.pod(ref.namespace(), ref.name()).filter(known -> known.ref().equals(ref)),
                Optional.ofNullable(mirror.assumption(ref.uid()))));
  }

  /** Adds or changes a node. */
  void put(NodeModel node) {
    nodes.computeIfAbsent(node.name(), mirror::node);
    mirror.apply(new ClusterEvent.NodeUpserted(node), now);
  }

  /** Removes a node, and with it the nominations for it; its pods must have been removed before. */
  void removeNode(String name) {
    mirror.pods().stream()
        .filter(pod -> pod.nominatedNode().equals(name))
        .map(PodModel::ref)
        .forEach(this::remember);
    nodes.computeIfAbsent(name, mirror::node);
    mirror.apply(new ClusterEvent.NodeRemoved(name), now);
  }

  /** Serves a policy. */
  void serve(CompiledPolicy policy) {
    policies.computeIfAbsent(policy.name(), name -> Optional.ofNullable(mirror.policy(name)));
    mirror.apply(new PolicyServed(policy), now);
  }

  /** Changes the policy for pods that name none; an empty name stands for the built-in one. */
  void setDefault(String policy) {
    if (defaultPolicy.isEmpty()) {
      defaultPolicy = Optional.of(mirror.defaultPolicy());
    }
    mirror.apply(new ClusterEvent.DefaultPolicyChanged(policy), now);
  }

  @Override
  public void close() {
    pods.keySet().forEach(this::withdraw);
    nodes.forEach(
        (name, before) ->
            mirror.apply(
                before
                    .<ClusterEvent>map(ClusterEvent.NodeUpserted::new)
                    .orElseGet(() -> new ClusterEvent.NodeRemoved(name)),
                now));
    policies.forEach(
        (name, before) ->
            mirror.apply(
                before
                    .<ClusterEvent>map(served -> served)
                    .orElseGet(() -> new ClusterEvent.PolicyRemoved(name)),
                now));
    defaultPolicy.ifPresent(name -> mirror.apply(new ClusterEvent.DefaultPolicyChanged(name), now));
    for (Before before : pods.values()) {
      before.pod().ifPresent(pod -> mirror.apply(new ClusterEvent.PodUpserted(pod), now));
      before.assumed().ifPresent(assumed -> mirror.apply(assumed, now));
    }
  }
}
