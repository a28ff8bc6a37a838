package io.berth.benchmarks.workload;

import io.berth.engine.PodRef;
import io.berth.engine.model.AffinityTerm;
import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.NodeSelection;
import io.berth.engine.model.PodAffinity;
import io.berth.engine.model.PodImages;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRequests;
import io.berth.engine.model.PodSpec;
import io.berth.engine.model.ResourceAmounts;
import io.berth.engine.model.SpreadConstraint;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A kind of pods: all of them have this spec and these labels. */
record PodKind(Map<String, String> labels, PodSpec spec) {
  static final String NAMESPACE = "bench";
  static final String ZONE = "topology.kubernetes.io/zone";
  static final String HOSTNAME = "kubernetes.io/hostname";
  static final long MIB = 1024 * 1024;
  private static final Instant CREATED = Instant.parse("2026-01-01T00:00:00Z");

  /** A pod that asks for this much and for nothing else. */
  static PodKind plain(long milliCpu, long memoryBytes) {
    return new PodKind(
        Map.of(),
        new PodSpec(
            0,
            false,
            "",
            PodRequests.of(
                ResourceAmounts.of(Map.of("cpu", milliCpu, "memory", memoryBytes)),
                milliCpu,
                memoryBytes),
            NodeSelection.none(),
            List.of(),
            PodAffinity.none(),
            List.of(),
            List.of(),
            new PodImages(List.of("pause:3.10"), 1),
            List.of(),
            List.of()));
  }

  PodKind labelled(Map<String, String> labels) {
    return new PodKind(labels, spec);
  }

  PodKind withPriority(int priority) {
    return with(priority, spec.nodes(), spec.affinity(), spec.spread());
  }

  PodKind on(NodeSelection nodes) {
    return with(spec.priority(), nodes, spec.affinity(), spec.spread());
  }

  PodKind with(PodAffinity affinity) {
    return with(spec.priority(), spec.nodes(), affinity, spec.spread());
  }

  PodKind spread(SpreadConstraint constraint) {
    return with(spec.priority(), spec.nodes(), spec.affinity(), List.of(constraint));
  }

  private PodKind with(
      int priority, NodeSelection nodes, PodAffinity affinity, List<SpreadConstraint> spread) {
    return new PodKind(
        labels,
        new PodSpec(
            priority,
            false,
            "",
            spec.requests(),
            nodes,
            spec.tolerations(),
            affinity,
            spread,
            spec.ports(),
            spec.images(),
            spec.volumes(),
            spec.resourceClaims()));
  }

  /** Pods of the bench's namespace with this label. */
  static AffinityTerm near(String key, String value, String topologyKey) {
    return new AffinityTerm(
        Set.of(NAMESPACE),
        LabelSelector.nothing(),
        LabelSelector.ofPairs(Map.of(key, value)),
        topologyKey);
  }

  /** One pod of the kind; on no node where {@code nodeName} is empty. */
  PodModel pod(String name, String nodeName) {
    return new PodModel(
        new PodRef(NAMESPACE, name, "uid-" + name),
        "berth",
        "bench",
        labels,
        spec,
        Optional.empty(),
        nodeName,
        "",
        false,
        false,
        false,
        List.of(),
        CREATED,
        Optional.empty());
  }
}
