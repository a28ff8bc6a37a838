package io.berth.operator.api;

import io.berth.engine.extender.MetadataAddresses;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;

/**
 * Name resolution that excludes link-local addresses and those of cloud metadata services, which
 * give the node's credentials to every process.
 */
final class OffLocalLink {

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
        .filter(address -> !MetadataAddresses.contain(address.getAddress()))
        .findFirst()
        .map(address -> new InetSocketAddress(address, port))
        .orElseThrow(
            () ->
                new ConnectException(
                    host
                        + " resolves to link-local addresses, or others where cloud metadata"
                        + " services serve node credentials"));
  }
}
