package io.berth.operator.api;

import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import org.eclipse.jetty.util.Promise;
import org.eclipse.jetty.util.SocketAddressResolver;

/**
 * An address resolver that excludes link-local addresses, because cloud metadata services at these
 * addresses give the node's credentials to every process.
 */
final class OffLocalLink implements SocketAddressResolver {

  /** The only metadata service address that is not in a link-local range. */
  private static final String METADATA_IPV6 = "fd00:ec2:0:0:0:0:0:254";

  private final SocketAddressResolver resolver;

  OffLocalLink(SocketAddressResolver resolver) {
    this.resolver = resolver;
  }

  @Override
  public void resolve(
      String host,
      int port,
      Map<String, Object> context,
      Promise<List<InetSocketAddress>> promise) {
    resolver.resolve(
        host,
        port,
        context,
        new Promise.Wrapper<>(promise) {
          @Override
          public void succeeded(List<InetSocketAddress> found) {
            List<InetSocketAddress> allowed =
                found.stream().filter(address -> !isLocalLink(address)).toList();
            if (allowed.isEmpty()) {
              super.failed(
                  new ConnectException(
                      host
                          + " resolves to link-local addresses, where cloud metadata services serve"
                          + " node credentials"));
            } else {
              super.succeeded(allowed);
            }
          }
        });
  }

  private static boolean isLocalLink(InetSocketAddress address) {
    return address.getAddress() != null
        && (address.getAddress().isLinkLocalAddress()
            || address.getAddress().getHostAddress().equals(METADATA_IPV6));
  }
}
