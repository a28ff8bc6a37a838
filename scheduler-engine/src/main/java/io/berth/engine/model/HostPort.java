package io.berth.engine.model;

/**
 * A port of the node that a pod uses exclusively.
 *
 * @param ip the node's address; {@code 0.0.0.0}, also the default, means all of them
 * @param protocol TCP, UDP or SCTP; TCP by default
 */
public record HostPort(String ip, String protocol, int port) {
  /** The value for all addresses of the node. */
  public static final String ANY_IP = "0.0.0.0";

  /** Returns whether pods with these ports cannot share a node. */
  public boolean conflictsWith(HostPort other) {
    return port == other.port
        && protocol.equals(other.protocol)
        && (ip.equals(other.ip) || ip.equals(ANY_IP) || other.ip.equals(ANY_IP));
  }
}
