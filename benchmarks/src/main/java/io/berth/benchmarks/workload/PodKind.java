package io.berth.benchmarks.workload;

import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.AffinityTerm;
import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.NodeSelection;
import io.berth.engine.model.PodAffinity;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodSpec;
import io.berth.engine.model.SpreadConstraint;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A kind of pods with the same spec and labels. */
record PodKind(Map<String, String> labels, PodSpec spec) {
  static final String NAMESPACE = "bench";
  static final String ZONE = "topology.kubernetes.io/zone";
  static final String HOSTNAME = "kubernetes.io/hostname";
  static final long MIB = 1024 * 1024;
  private static final int CREATED_PER_SECOND = 1_000;
  private static final Instant CREATED = Instant.parse("2026-01-01T00:00:00Z");

  /** Returns a kind with only these requests. */
  static PodKind plain(long milliCpu, long memoryBytes) {
    return new PodKind(
        Map.of(),
        Pods.pod("plain").milliCpu(milliCpu).memoryBytes(memoryBytes).images("pause:3.10").spec());
  }

  PodKind labelled(Map<String, String> labels) {
    return new PodKind(labels, spec);
  }

  PodKind withPriority(int priority) {
    return new PodKind(labels, Pods.from(spec).priority(priority).spec());
  }

  /** Returns a kind that requests the cards of another kind. */
  PodKind withCardsOf(PodKind other) {
    return new PodKind(labels, Pods.from(spec).cards(other.spec().cards()).spec());
  }

  /** Returns the requested CPU, in thousandths. */
  long milliCpu() {
    return spec.requests().scoredMilliCpu();
  }

  PodKind on(NodeSelection nodes) {
    return new PodKind(labels, Pods.from(spec).nodes(nodes).spec());
  }

  PodKind with(PodAffinity affinity) {
    return new PodKind(labels, Pods.from(spec).affinity(affinity).spec());
  }

  PodKind spread(SpreadConstraint constraint) {
    return new PodKind(labels, Pods.from(spec).spread(List.of(constraint)).spec());
  }

  /** Returns an affinity term for pods with this label in the benchmark's namespace. */
  static AffinityTerm near(String key, String value, String topologyKey) {
    return new AffinityTerm(
        Set.of(NAMESPACE),
        LabelSelector.nothing(),
        LabelSelector.ofPairs(Map.of(key, value)),
        topologyKey);
  }

  /**
   * Returns a pod of this kind; pending if {@code nodeName} is empty. Pods are created in the order
   * of the numbers at the end of their names, {@link #CREATED_PER_SECOND} per second.
   */
  PodModel pod(String name, String nodeName) {
    return pod(name, nodeName, "bench");
  }

  /** Returns a pod of this kind that names a policy. */
  PodModel pod(String name, String nodeName, String policy) {
    return Pods.pod(name)
        .namespace(NAMESPACE)
        .policy(policy)
        .labels(labels)
        .spec(spec)
        .on(nodeName)
        .createdAt(CREATED.plusSeconds(number(name) / CREATED_PER_SECOND))
        .build();
  }

  private static int number(String name) {
    int begin = name.length();
    while (begin > 0 && Character.isDigit(name.charAt(begin - 1))) {
      begin--;
    }
    return begin == name.length() ? 0 : Integer.parseInt(name, begin, name.length(), 10);
  }
}
