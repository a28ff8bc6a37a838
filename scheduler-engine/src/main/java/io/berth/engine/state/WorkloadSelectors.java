package io.berth.engine.state;

import io.berth.engine.model.Controller;
import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.Requirement;
import io.berth.engine.model.WorkloadSelector;
import io.berth.engine.model.WorkloadSelector.Kind;
import io.berth.engine.selector.LabelIndex;
import io.berth.rules.label.LabelOperator;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Services and workload controllers. Default spread constraints count the pods that are selected by
 * the incoming pod's controller, and by the Services that select the pod.
 */
public final class WorkloadSelectors {
  private record Id(Kind kind, String name) {}

  /** The groups of a namespace, with Services indexed by their selectors. */
  private static final class InNamespace {
    final Map<Id, WorkloadSelector> byId = new HashMap<>();
    final LabelIndex<WorkloadSelector> services = new LabelIndex<>();

    void index(WorkloadSelector group) {
      if (group.kind() == Kind.SERVICE && !group.selector().matchesNothing()) {
        services.add(group, group.selector().requirements());
      }
    }

    void unindex(WorkloadSelector group) {
      if (group.kind() == Kind.SERVICE && !group.selector().matchesNothing()) {
        services.remove(group);
      }
    }
  }

  private final Map<String, InNamespace> byNamespace = new HashMap<>();
  private long version;

  /** Returns a version that grows with every change. */
  public long version() {
    return version;
  }

  /** Adds or updates a selector; returns whether this changed anything. */
  public boolean put(WorkloadSelector group) {
    InNamespace groups =
        byNamespace.computeIfAbsent(group.namespace(), namespace -> new InNamespace());
    WorkloadSelector before = groups.byId.put(new Id(group.kind(), group.name()), group);
    if (group.equals(before)) {
      return false;
    }
    if (before != null) {
      groups.unindex(before);
    }
    groups.index(group);
    version++;
    return true;
  }

  /** Removes a selector; returns whether this changed anything. */
  public boolean remove(Kind kind, String namespace, String name) {
    InNamespace groups = byNamespace.get(namespace);
    WorkloadSelector before = groups == null ? null : groups.byId.remove(new Id(kind, name));
    if (groups == null || before == null) {
      return false;
    }
    groups.unindex(before);
    if (groups.byId.isEmpty()) {
      byNamespace.remove(namespace);
    }
    version++;
    return true;
  }

  /**
   * Returns the selector of the pod's default spread constraints; empty if no Service or controller
   * selects the pod.
   */
  public Optional<LabelSelector> defaultSelectorOf(PodModel pod) {
    InNamespace groups = byNamespace.get(pod.ref().namespace());
    if (groups == null) {
      return Optional.empty();
    }
    Map<String, String> pairs = new TreeMap<>();
    // Services that select the pod agree with its labels, and therefore with each other.
    groups.services.candidates(
        pod.labels(),
        service -> {
          if (service.selector().matches(pod.labels())) {
            pairs.putAll(pairsOf(service.selector()));
          }
        });
    List<Requirement> requirements = new ArrayList<>();
    Optional<WorkloadSelector> controller =
        pod.controller().flatMap(owner -> find(groups.byId, owner));
    if (controller.isPresent()) {
      LabelSelector selector = controller.get().selector();
      if (controller.get().kind() == Kind.REPLICATION_CONTROLLER) {
        pairs.putAll(pairsOf(selector));
      } else if (!selector.matchesNothing()) {
        requirements.addAll(selector.requirements());
      }
    }
    requirements.addAll(LabelSelector.ofPairs(pairs).requirements());
    return requirements.isEmpty() ? Optional.empty() : Optional.of(LabelSelector.of(requirements));
  }

  private static Optional<WorkloadSelector> find(
      Map<Id, WorkloadSelector> groups, Controller owner) {
    Kind kind =
        switch (owner.apiVersion() + "/" + owner.kind()) {
          case "v1/ReplicationController" -> Kind.REPLICATION_CONTROLLER;
          case "apps/v1/ReplicaSet" -> Kind.REPLICA_SET;
          case "apps/v1/StatefulSet" -> Kind.STATEFUL_SET;
          default -> null;
        };
    return kind == null
        ? Optional.empty()
        : Optional.ofNullable(groups.get(new Id(kind, owner.name())));
  }

  private static Map<String, String> pairsOf(LabelSelector selector) {
    Map<String, String> pairs = new HashMap<>();
    for (Requirement requirement : selector.requirements()) {
      if (requirement.operator() == LabelOperator.IN && requirement.values().size() == 1) {
        pairs.put(requirement.key(), requirement.values().getFirst());
      }
    }
    return pairs;
  }
}
