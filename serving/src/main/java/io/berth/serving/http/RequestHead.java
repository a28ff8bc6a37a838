package io.berth.serving.http;

import java.net.InetAddress;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A request without its body.
 *
 * @param path the decoded path, without a query
 * @param query the undecoded query, without the question mark; empty if there is none
 * @param headers the values of each header, keyed by its name in lower case
 * @param client the address of the client
 * @param fromReplica whether the client has authenticated as a replica of Berth with its
 *     certificate
 */
public record RequestHead(
    String method,
    String path,
    String query,
    Map<String, List<String>> headers,
    InetAddress client,
    boolean fromReplica) {

  /** Returns the first value of a header, whose name is not case-sensitive. */
  public Optional<String> header(String name) {
    return headers.getOrDefault(name.toLowerCase(Locale.ROOT), List.of()).stream().findFirst();
  }
}
