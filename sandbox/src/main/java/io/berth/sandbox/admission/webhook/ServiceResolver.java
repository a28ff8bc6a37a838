package io.berth.sandbox.admission.webhook;

import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * Resolves Services to socket addresses on behalf of the API server, because the sandbox has no
 * cluster network.
 */
@FunctionalInterface
public interface ServiceResolver {

  /** Returns the address of an endpoint behind a Service port; empty if there is none. */
  Optional<InetSocketAddress> resolve(String namespace, String name, int port);
}
