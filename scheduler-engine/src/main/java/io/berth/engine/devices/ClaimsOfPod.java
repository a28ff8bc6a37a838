package io.berth.engine.devices;

import io.berth.engine.cards.ClaimedCards;
import io.berth.engine.model.ResourceAmounts;
import java.util.List;

/**
 * The claims of a pod, by their content.
 *
 * @param models the known kinds of devices
 * @param extended the requested resources that classes may serve
 */
record ClaimsOfPod(DeviceModels models, List<ClaimSpec> claims, ResourceAmounts extended)
    implements ClaimedCards {
  ClaimsOfPod {
    claims = List.copyOf(claims);
  }

  @Override
  public Share share() {
    return models.shareOf(claims, extended);
  }
}
