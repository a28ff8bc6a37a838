package io.berth.sandbox.auth;

import java.util.List;
import java.util.Map;

/**
 * The authenticated client of a request.
 *
 * @param name the user name, for example {@code system:serviceaccount:berth:berth}
 * @param uid empty if the user has none
 * @param groups the user's groups, for example {@code system:authenticated}
 * @param extra additional attributes from authentication
 * @param agent the client's User-Agent up to its first space
 */
public record Caller(
    String name, String uid, List<String> groups, Map<String, List<String>> extra, String agent) {

  public Caller {
    groups = List.copyOf(groups);
    extra = Map.copyOf(extra);
  }

  /**
   * Returns the identity of a control plane component that runs in this process, with full access.
   */
  public static Caller controlPlane(String component) {
    return new Caller(
        "system:" + component,
        "",
        List.of("system:masters", "system:authenticated"),
        Map.of(),
        component);
  }

  /** Returns this caller with another User-Agent. */
  public Caller through(String otherAgent) {
    return new Caller(name, uid, groups, extra, otherAgent);
  }
}
