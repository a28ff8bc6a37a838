package io.berth.operator.api;

import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;

/**
 * Name resolution that excludes link-local addresses, because cloud metadata services at these
 * addresses give the node's credentials to every process.
 */
final class OffLocalLink {

  /** The only metadata service address that is not in a link-local range. */
  private static final String METADATA_IPV6 = "fd00:ec2:0:0:0:0:0:254";

  private OffLocalLink() {}

  /**
   * Returns the first allowed address of a host. Blocks while the name is being resolved.
   *
   * @throws UnknownHostException if the name has no address
   * @throws ConnectException if none of its addresses is allowed
   */
  static InetSocketAddress resolve(String host, int port)
      throws UnknownHostException, ConnectException {
    return Arrays.stream(InetAddress.getAllByName(host))
        .filter(address -> !isLocalLink(address))
        .findFirst()
        .map(address -> new InetSocketAddress(address, port))
        .orElseThrow(
            () ->
                new ConnectException(
                    host
                        + " resolves to link-local addresses, where cloud metadata services serve"
                        + " node credentials"));
  }

  private static boolean isLocalLink(InetAddress address) {
    return address.isLinkLocalAddress() || address.getHostAddress().equals(METADATA_IPV6);
  }
}
