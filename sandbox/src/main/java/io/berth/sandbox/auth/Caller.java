package io.berth.sandbox.auth;

import java.util.List;
import java.util.Map;

/**
 * The authenticated client of a request.
 *
 * @param name for instance {@code system:serviceaccount:berth:berth}
 * @param uid empty if the user has none
 * @param groups for instance {@code system:authenticated}
 * @param extra further attributes, as authentication gave them
 * @param agent the client's User-Agent, its part before the first space
 */
public record Caller(
    String name, String uid, List<String> groups, Map<String, List<String>> extra, String agent) {

  public Caller {
    groups = List.copyOf(groups);
    extra = Map.copyOf(extra);
  }

  /** A part of the control plane that runs in this process; it may do everything. */
  public static Caller controlPlane(String component) {
    return new Caller(
        "system:" + component,
        "",
        List.of("system:masters", "system:authenticated"),
        Map.of(),
        component);
  }

  /** The same user and groups, asking through another client. */
  public Caller through(String otherAgent) {
    return new Caller(name, uid, groups, extra, otherAgent);
  }
}
