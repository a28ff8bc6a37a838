package io.berth.sandbox.admission.webhook;

import java.net.InetSocketAddress;
import java.util.Optional;

/** Where a Service is reached from the API server's process: there is no cluster network here. */
@FunctionalInterface
public interface ServiceResolver {

  /** The address behind a port of a Service; empty where nothing stands behind it. */
  Optional<InetSocketAddress> resolve(String namespace, String name, int port);
}
