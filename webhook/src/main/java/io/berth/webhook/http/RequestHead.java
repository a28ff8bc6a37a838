package io.berth.webhook.http;

import java.net.InetAddress;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A request without its body.
 *
 * @param path the decoded path, without a query
 * @param query the query as it was sent, without the question mark; empty where there is none
 * @param headers the values of each header, by its name in lower case
 * @param client the client that sent the request
 * @param fromReplica whether the client proved by its certificate that it is a replica of Berth
 */
public record RequestHead(
    String method,
    String path,
    String query,
    Map<String, List<String>> headers,
    InetAddress client,
    boolean fromReplica) {

  /** The first value of a header. */
  public Optional<String> header(String name) {
    return headers.getOrDefault(name.toLowerCase(Locale.ROOT), List.of()).stream().findFirst();
  }
}
