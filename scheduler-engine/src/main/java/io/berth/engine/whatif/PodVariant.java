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
  private PodModel rendered;

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
    this.rendered = pod;
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

  /** Takes from another pod what can be rendered into a pod. */
  PodVariant rendered(PodModel other) {
    rendered = other;
    policy = other.policy();
    nodes = other.spec().nodes();
    tolerations = other.spec().tolerations();
    return this;
  }

  PodModel build() {
    return new PodModel(
        ref,
        rendered.schedulerName(),
        policy,
        rendered.labels(),
        spec(),
        pod.controller(),
        rendered.group(),
        rendered.otherQueues(),
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
        && rendered.spec().affinity().equals(spec.affinity())
        && rendered.spec().spread().equals(spec.spread())
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
        rendered.spec().affinity(),
        rendered.spec().spread(),
        spec.ports(),
        spec.images(),
        spec.volumes(),
        spec.requiredFeatures(),
        spec.devices(),
        spec.cards(),
        spec.virtualRequest());
  }
}
