package io.berth.engine.devices;

import java.util.List;

/** The requests of a claim, with its constraints. Claims of one template have equal specs. */
public record ClaimSpec(
    List<DeviceRequest> requests, List<DeviceConstraint> constraints, List<DeviceConfig> config) {
  private static final ClaimSpec EMPTY = new ClaimSpec(List.of(), List.of(), List.of());

  public ClaimSpec {
    requests = List.copyOf(requests);
    constraints = List.copyOf(constraints);
    config = List.copyOf(config);
  }

  /** Returns a spec that asks for nothing. */
  public static ClaimSpec empty() {
    return EMPTY;
  }

  /** Returns a spec of these requests alone. */
  static ClaimSpec of(List<DeviceRequest> requests) {
    return new ClaimSpec(requests, List.of(), List.of());
  }
}
