package io.berth.engine.devices;

import java.util.List;

/**
 * A constraint on the devices of a claim.
 *
 * @param requests the requests that it is for; empty for all
 * @param attribute the attribute that it compares, with its domain
 */
public record DeviceConstraint(List<String> requests, Kind kind, String attribute) {
  /** The kinds of constraints. */
  public enum Kind {
    /** All devices have the same value. */
    MATCH,
    /** All devices have different values. */
    DISTINCT,
    /** A type that is not supported. */
    UNKNOWN
  }

  public DeviceConstraint {
    requests = List.copyOf(requests);
  }

  boolean concerns(String request, String subrequest) {
    return requests.isEmpty()
        || requests.contains(request)
        || (!subrequest.isEmpty() && requests.contains(request + "/" + subrequest));
  }
}
