package io.berth.engine.whatif;

import io.berth.engine.model.NodeSelection;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import io.berth.engine.model.PodRequests;
import io.berth.engine.model.PodSpec;
import io.berth.engine.model.Toleration;
import java.util.List;
import java.util.Optional;

/** A pod that differs from an existing one in some respects: set them, and call {@link #build}. */
final class PodVariant {
  private final PodModel pod;
  private PodRef ref;
  private String policy;
  private String nodeName;
  private String nominatedNode;
  private boolean fresh;
  private List<String> gates;
  private int priority;
  private boolean neverPreempts;
  private PodRequests requests;
  private NodeSelection nodes;
  private List<Toleration> tolerations;

  private PodVariant(PodModel pod) {
    this.pod = pod;
    this.ref = pod.ref();
    this.policy = pod.policy();
    this.nodeName = pod.nodeName();
    this.nominatedNode = pod.nominatedNode();
    this.gates = pod.gates();
    this.priority = pod.spec().priority();
    this.neverPreempts = pod.spec().neverPreempts();
    this.requests = pod.spec().requests();
    this.nodes = pod.spec().nodes();
    this.tolerations = pod.spec().tolerations();
  }

  /** Starts with a copy of the pod. */
  static PodVariant of(PodModel pod) {
    return new PodVariant(pod);
  }

  PodVariant named(PodRef other) {
    ref = other;
    return this;
  }

  /** Makes it a pod that no scheduler has seen yet: it has no node, no nomination, and no cards. */
  PodVariant asNew() {
    nodeName = "";
    nominatedNode = "";
    gates = List.of();
    fresh = true;
    return this;
  }

  PodVariant on(String node) {
    nodeName = node;
    return this;
  }

  PodVariant gates(List<String> names) {
    gates = names;
    return this;
  }

  PodVariant policy(String name) {
    policy = name;
    return this;
  }

  /** Lets it preempt every pod that its policy allows it to preempt. */
  PodVariant mostImportant() {
    priority = Integer.MAX_VALUE;
    neverPreempts = false;
    return this;
  }

  PodVariant requests(PodRequests other) {
    requests = other;
    return this;
  }

  PodVariant nodes(NodeSelection other) {
    nodes = other;
    return this;
  }

  PodVariant tolerations(List<Toleration> others) {
    tolerations = others;
    return this;
  }

  PodModel build() {
    return new PodModel(
        ref,
        pod.schedulerName(),
        policy,
        pod.labels(),
        spec(),
        pod.controller(),
        pod.group(),
        pod.otherQueues(),
        nodeName,
        nominatedNode,
        !fresh && pod.finished(),
        !fresh && pod.succeeded(),
        !fresh && pod.terminating(),
        !fresh && pod.preempted(),
        !fresh && pod.mirror(),
        gates,
        pod.createdAt(),
        fresh ? Optional.empty() : pod.startedAt(),
        pod.runTime(),
        fresh ? Optional.empty() : pod.cards(),
        !fresh && pod.awaitsCards(),
        pod.workloadHash());
  }

  /** Returns the same spec object if nothing in it changes: equal specs are compared faster. */
  private PodSpec spec() {
    PodSpec spec = pod.spec();
    if (priority == spec.priority()
        && neverPreempts == spec.neverPreempts()
        && requests.equals(spec.requests())
        && nodes.equals(spec.nodes())
        && tolerations.equals(spec.tolerations())) {
      return spec;
    }
    return new PodSpec(
        priority,
        spec.priorityClass(),
        neverPreempts,
        spec.requestedNode(),
        requests,
        nodes,
        tolerations,
        spec.affinity(),
        spec.spread(),
        spec.ports(),
        spec.images(),
        spec.volumes(),
        spec.requiredFeatures(),
        spec.devices(),
        spec.cards(),
        spec.virtualRequest());
  }
}
