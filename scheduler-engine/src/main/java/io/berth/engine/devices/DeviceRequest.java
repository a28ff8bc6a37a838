package io.berth.engine.devices;

import java.util.List;

/**
 * A request of a claim.
 *
 * @param prioritized whether {@code asks} are alternatives, the best first
 * @param asks one, or the alternatives; none if the request is of an unknown type
 */
public record DeviceRequest(String name, boolean prioritized, List<DeviceAsk> asks) {
  public DeviceRequest {
    asks = List.copyOf(asks);
  }

  /** Returns the name by which results and configuration refer to one of the asks. */
  String nameOf(DeviceAsk ask) {
    return prioritized ? name + "/" + ask.name() : name;
  }
}
