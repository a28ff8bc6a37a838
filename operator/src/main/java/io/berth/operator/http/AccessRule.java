package io.berth.operator.http;

import java.net.InetAddress;
import java.util.Optional;

/** The access rule of an endpoint. */
@FunctionalInterface
public interface AccessRule {

  /**
   * Returns whether the owner of the token may use the path; the client's address is used for rate
   * limiting.
   *
   * @param verb the verb for the access review, such as {@code get}
   */
  Verdict check(Optional<String> bearerToken, String verb, String path, InetAddress client);

  /**
   * The result.
   *
   * @param code 200 if allowed, otherwise the HTTP status of the response
   * @param message why access is denied, and what to do about it
   */
  record Verdict(int code, String message) {

    public static final Verdict ALLOWED = new Verdict(200, "");

    public boolean allowed() {
      return code == 200;
    }
  }
}
