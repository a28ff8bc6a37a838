package io.berth.engine.state;

import io.berth.engine.devices.ClaimSpec;
import io.berth.engine.devices.DeviceClaim;
import io.berth.engine.devices.DeviceTable;
import io.berth.engine.model.DeviceObject;
import java.util.Optional;

/** The cluster objects that describe devices; pods whose claims change are counted again. */
public final class DeviceObjects {
  private final DeviceTable devices;
  private final PodClaims podClaims;
  private final PodHoldings holdings;

  DeviceObjects(DeviceTable devices, PodClaims podClaims, PodHoldings holdings) {
    this.devices = devices;
    this.podClaims = podClaims;
    this.holdings = holdings;
  }

  /** Adds or updates an object; returns whether this changed anything. */
  public boolean put(DeviceObject object) {
    Optional<ClaimSpec> before = claimSpec(object);
    boolean changed = devices.put(object);
    if (object instanceof DeviceClaim claim && !before.equals(Optional.of(claim.spec()))) {
      claimChanged(claim);
    }
    return changed;
  }

  private Optional<ClaimSpec> claimSpec(DeviceObject object) {
    return object instanceof DeviceClaim claim
        ? devices.claim(claim.namespace(), claim.name()).map(DeviceClaim::spec)
        : Optional.empty();
  }

  /** Removes an object; returns it as last seen, or empty if it was not known. */
  public Optional<DeviceObject> remove(String kind, String namespace, String name) {
    Optional<DeviceObject> before = devices.remove(kind, namespace, name);
    if (before.orElse(null) instanceof DeviceClaim claim) {
      claimChanged(claim);
    }
    return before;
  }

  /** Counts the pods with this claim again: they ask for other devices now. */
  private void claimChanged(DeviceClaim claim) {
    for (PodEntry pod : podClaims.usersOf(DeviceClaim.KIND, claim.namespace(), claim.name())) {
      holdings.replaced(pod.model(), pod.model());
    }
  }
}
