package io.berth.operator.admission;

/** Formats a host and port as in a URL: IPv6 addresses are enclosed in brackets. */
public final class HostPort {
  private HostPort() {}

  public static String of(String host, int port) {
    boolean bare = host.contains(":") && !host.startsWith("[");
    return (bare ? "[" + host + "]" : host) + ":" + port;
  }
}
