package io.berth.operator.admission;

/** Host and port as a URL has them: addresses of IPv6 are in brackets. */
public final class HostPort {
  private HostPort() {}

  public static String of(String host, int port) {
    boolean bare = host.contains(":") && !host.startsWith("[");
    return (bare ? "[" + host + "]" : host) + ":" + port;
  }
}
