package io.berth.operator.record;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.engine.api.Decision;
import io.berth.engine.devices.ClaimAllocation;
import io.berth.engine.devices.DeviceAllocation;
import io.berth.engine.model.CardAssignment;
import io.berth.engine.model.PreBindStep;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The cards and the devices that a pod gets with its node. */
public final class PlacedDevices {
  private PlacedDevices() {}

  /** Returns the devices that the pod's claims get, each with its claim and request. */
  public static List<String> ofClaims(Decision.Placed placed) {
    List<String> devices = new ArrayList<>();
    for (PreBindStep step : placed.preBind()) {
      if (step instanceof ClaimAllocation claim && claim.allocation().isPresent()) {
        String name = claim.extended().isPresent() ? "extended resources" : claim.claimName();
        for (DeviceAllocation.Result result : claim.allocation().get().results()) {
          devices.add("%s for %s of %s".formatted(result.device(), result.request(), name));
        }
      }
    }
    return devices;
  }

  /** Returns the names of the GPU cards by container; empty if the pod gets none. */
  public static Optional<JsonNode> cards(Decision.Placed placed) {
    return placed.assignment(CardAssignment.class).map(CardAssignment::json);
  }
}
