package io.berth.engine.state;

import io.berth.engine.model.PodVolume;
import io.berth.engine.volume.StorageTable;
import io.berth.engine.volume.UnboundClaims;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The claims of the known pods, pending or placed. */
public final class PodClaims {
  private record Claim(String namespace, String name) {}

  private final StorageTable storage;
  private final SharedSpecs specs;
  private final Map<Claim, List<PodEntry>> users = new HashMap<>();

  PodClaims(StorageTable storage, SharedSpecs specs) {
    this.storage = storage;
    this.specs = specs;
  }

  /** Returns the pods that reference the claim; a pod that references it twice is listed twice. */
  public List<PodEntry> usersOf(String namespace, String claimName) {
    return List.copyOf(users.getOrDefault(new Claim(namespace, claimName), List.of()));
  }

  void add(PodEntry pod) {
    for (PodVolume volume : pod.spec().volumes()) {
      if (volume instanceof PodVolume.Claim claim) {
        users.computeIfAbsent(keyOf(pod, claim), absent -> new ArrayList<>(1)).add(pod);
      }
    }
  }

  void remove(PodEntry pod) {
    for (PodVolume volume : pod.spec().volumes()) {
      if (volume instanceof PodVolume.Claim claim) {
        users.computeIfPresent(
            keyOf(pod, claim), (key, pods) -> pods.remove(pod) && pods.isEmpty() ? null : pods);
      }
    }
  }

  private static Claim keyOf(PodEntry pod, PodVolume.Claim claim) {
    return new Claim(pod.ref().namespace(), claim.claimName());
  }

  /**
   * Returns the spec with descriptions instead of the names of its unbound claims, so that pods
   * with equivalent claims share a spec. A claim that cannot be described keeps its name.
   *
   * <p>The result lives as long as the spec, or until its claims change. To use it for longer,
   * retain it.
   *
   * @param spec of a known pod
   */
  public SharedSpec described(SharedSpec spec) {
    List<PodVolume> volumes = spec.spec().volumes();
    if (volumes.isEmpty()) {
      return spec;
    }
    List<PodVolume> described = new ArrayList<>(volumes.size());
    boolean same = true;
    for (PodVolume volume : volumes) {
      Optional<PodVolume> description =
          volume instanceof PodVolume.Claim claim && isOfOnePod(spec.namespace(), claim)
              ? UnboundClaims.describe(spec.namespace(), claim, storage)
              : Optional.empty();
      same &= description.isEmpty();
      described.add(description.orElse(volume));
    }
    return same ? spec : specs.withVolumes(spec, described);
  }

  private boolean isOfOnePod(String namespace, PodVolume.Claim claim) {
    List<PodEntry> pods = users.get(new Claim(namespace, claim.claimName()));
    return pods != null && pods.size() == 1;
  }
}
