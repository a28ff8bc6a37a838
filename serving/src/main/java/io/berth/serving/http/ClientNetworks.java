package io.berth.serving.http;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;

/**
 * The networks that count as one client in all limits: an IPv4 address, or the /64 network of an
 * IPv6 address, because one host can usually take any address in it.
 */
final class ClientNetworks {
  private static final int IPV6_BYTES = 16;
  private static final int NETWORK_BYTES = 8;

  private ClientNetworks() {}

  /** Returns the address that stands for the client's network: its first one. */
  static InetAddress of(InetAddress client) {
    if (!(client instanceof Inet6Address)) {
      return client;
    }
    byte[] network = Arrays.copyOf(client.getAddress(), IPV6_BYTES);
    Arrays.fill(network, NETWORK_BYTES, IPV6_BYTES, (byte) 0);
    try {
      return InetAddress.getByAddress(network);
    } catch (UnknownHostException e) {
      throw new IllegalStateException(IPV6_BYTES + " bytes are an IPv6 address", e);
    }
  }
}
