package io.berth.engine.volume;

import io.berth.engine.model.NodeTerm;
import io.berth.engine.model.Requirement;
import io.berth.engine.selector.LabelIndex;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * The volumes and capacities of one storage class, indexed by purpose: a reserved volume by its
 * claim, a free one and a capacity by the labels of the nodes that reach it. So each node is only
 * checked against its own volumes, not against those of the whole cluster.
 */
final class ClassVolumes {
  private record ClaimKey(String namespace, String name) {}

  private final Map<ClaimKey, TreeMap<String, Volume>> kept = new HashMap<>();
  private final LabelIndex<Volume> free = new LabelIndex<>();
  private final LabelIndex<StorageCapacity> capacities = new LabelIndex<>();

  void add(Volume volume) {
    if (volume.claim().isPresent()) {
      kept.computeIfAbsent(key(volume.claim().get()), claim -> new TreeMap<>())
          .put(volume.name(), volume);
    } else {
      free.add(volume, reach(volume));
    }
  }

  void remove(Volume volume) {
    if (volume.claim().isEmpty()) {
      free.remove(volume);
      return;
    }
    ClaimKey key = key(volume.claim().get());
    TreeMap<String, Volume> ofClaim = kept.get(key);
    if (ofClaim != null && ofClaim.remove(volume.name()) != null && ofClaim.isEmpty()) {
      kept.remove(key);
    }
  }

  void add(StorageCapacity capacity) {
    if (!capacity.nodes().matchesNothing()) {
      capacities.add(capacity, capacity.nodes().requirements());
    }
  }

  void remove(StorageCapacity capacity) {
    if (!capacity.nodes().matchesNothing()) {
      capacities.remove(capacity);
    }
  }

  boolean isEmpty() {
    return kept.isEmpty() && free.isEmpty() && capacities.isEmpty();
  }

  /**
   * Returns the volumes that reference a claim of this name, by name; none for a claim without a
   * name.
   */
  Collection<Volume> keptFor(VolumeClaim claim) {
    if (claim.name().isEmpty()) {
      return List.of();
    }
    TreeMap<String, Volume> ofClaim = kept.get(new ClaimKey(claim.namespace(), claim.name()));
    return ofClaim == null ? List.of() : ofClaim.values();
  }

  /** Passes the volumes without a claim that a node with these labels may reach to the consumer. */
  void freeNear(Map<String, String> nodeLabels, Consumer<Volume> consumer) {
    free.candidates(nodeLabels, consumer);
  }

  /** Passes the capacities that may apply to a node with these labels to the consumer. */
  void capacitiesNear(Map<String, String> nodeLabels, Consumer<StorageCapacity> consumer) {
    capacities.candidates(nodeLabels, consumer);
  }

  private static ClaimKey key(Volume.ClaimRef claim) {
    return new ClaimKey(claim.namespace(), claim.name());
  }

  /**
   * Returns requirements that the labels of a node must satisfy at least; empty if there are
   * alternatives.
   */
  private static List<Requirement> reach(Volume volume) {
    List<NodeTerm> terms = volume.nodeTerms().orElse(List.of());
    return terms.size() == 1 ? terms.getFirst().expressions() : List.of();
  }
}
