package io.berth.engine.devices;

import java.util.List;

/**
 * Parameters for drivers.
 *
 * @param requests the requests of the claim that they are for; empty for all
 * @param opaque the member {@code opaque} as JSON; empty if there is none
 */
public record DeviceConfig(List<String> requests, String opaque) {
  public DeviceConfig {
    requests = List.copyOf(requests);
  }
}
