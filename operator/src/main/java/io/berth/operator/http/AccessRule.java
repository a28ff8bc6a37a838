package io.berth.operator.http;

import java.net.InetAddress;
import java.util.Optional;

/** The access rule of an endpoint. */
@FunctionalInterface
public interface AccessRule {

  /** Returns whether the bearer of the token, who asks from an address, may get the path. */
  Verdict check(Optional<String> bearerToken, String path, InetAddress client);

  /**
   * The answer.
   *
   * @param code 200, or the HTTP status to refuse with
   * @param message why not, and what to do
   */
  record Verdict(int code, String message) {

    public static final Verdict ALLOWED = new Verdict(200, "");

    public boolean allowed() {
      return code == 200;
    }
  }
}
