package io.berth.engine.state;

import io.berth.engine.devices.DescribedClaim;
import io.berth.engine.devices.DeviceClaim;
import io.berth.engine.devices.DeviceTable;
import io.berth.engine.model.PodClaim;
import io.berth.engine.model.PodRef;
import io.berth.engine.model.PodVolume;
import io.berth.engine.volume.StorageTable;
import io.berth.engine.volume.UnboundClaims;
import io.berth.engine.volume.VolumeClaim;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** The claims of the known pods, pending or placed: for volumes, and for devices. */
public final class PodClaims {
  private record Claim(String kind, String namespace, String name) {}

  private final StorageTable storage;
  private final DeviceTable devices;
  private final SharedSpecs specs;
  private final Map<Claim, List<PodEntry>> users = new HashMap<>();

  PodClaims(StorageTable storage, DeviceTable devices, SharedSpecs specs) {
    this.storage = storage;
    this.devices = devices;
    this.specs = specs;
  }

  /**
   * Returns the pods that reference the claim; a pod that references it twice is listed twice.
   *
   * @param kind {@link VolumeClaim#KIND} or {@link DeviceClaim#KIND}
   */
  public List<PodEntry> usersOf(String kind, String namespace, String claimName) {
    return List.copyOf(users.getOrDefault(new Claim(kind, namespace, claimName), List.of()));
  }

  void add(PodEntry pod) {
    forEachOf(pod, claim -> users.computeIfAbsent(claim, absent -> new ArrayList<>(1)).add(pod));
  }

  void remove(PodEntry pod) {
    forEachOf(
        pod,
        claim ->
            users.computeIfPresent(
                claim, (key, pods) -> pods.remove(pod) && pods.isEmpty() ? null : pods));
  }

  private static void forEachOf(PodEntry pod, Consumer<Claim> visitor) {
    String namespace = pod.ref().namespace();
    for (PodVolume volume : pod.spec().volumes()) {
      if (volume instanceof PodVolume.Claim claim) {
        visitor.accept(new Claim(VolumeClaim.KIND, namespace, claim.claimName()));
      }
    }
    for (PodClaim claim : pod.spec().devices().claims()) {
      if (!claim.claimName().isEmpty()) {
        visitor.accept(new Claim(DeviceClaim.KIND, namespace, claim.claimName()));
      }
    }
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
    List<PodClaim> claims = spec.spec().devices().claims();
    if (volumes.isEmpty() && claims.isEmpty()) {
      return spec;
    }
    boolean same = true;
    List<PodVolume> describedVolumes = new ArrayList<>(volumes.size());
    for (PodVolume volume : volumes) {
      Optional<PodVolume> description =
          volume instanceof PodVolume.Claim claim
                  && isOfOnePod(VolumeClaim.KIND, spec.namespace(), claim.claimName())
              ? UnboundClaims.describe(spec.namespace(), claim, storage)
              : Optional.empty();
      same &= description.isEmpty();
      describedVolumes.add(description.orElse(volume));
    }
    List<PodClaim> describedClaims = new ArrayList<>(claims.size());
    for (PodClaim claim : claims) {
      Optional<PodClaim> description = describe(spec.namespace(), claim);
      same &= description.isEmpty();
      describedClaims.add(description.orElse(claim));
    }
    return same
        ? spec
        : specs.described(
            spec, describedVolumes, spec.spec().devices().withClaims(describedClaims));
  }

  /** Returns the description of a claim for devices that one pod alone uses and has none yet. */
  private Optional<PodClaim> describe(String namespace, PodClaim claim) {
    if (!isOfOnePod(DeviceClaim.KIND, namespace, claim.claimName())) {
      return Optional.empty();
    }
    return devices
        .unallocatedClaim(namespace, claim.claimName())
        .filter(
            found ->
                !(claim instanceof PodClaim.FromTemplate(var _, PodRef owner))
                    || found.controllerUid().equals(owner.uid()))
        .map(found -> new DescribedClaim(found.spec()));
  }

  private boolean isOfOnePod(String kind, String namespace, String claimName) {
    List<PodEntry> pods = users.get(new Claim(kind, namespace, claimName));
    return pods != null && pods.size() == 1;
  }
}
