package io.berth.sandbox.admission.webhook;

import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * A lookup of Service addresses for the API server's process, since there is no cluster network
 * here.
 */
@FunctionalInterface
public interface ServiceResolver {

  /** The address behind a port of a Service; empty where nothing stands behind it. */
  Optional<InetSocketAddress> resolve(String namespace, String name, int port);
}
