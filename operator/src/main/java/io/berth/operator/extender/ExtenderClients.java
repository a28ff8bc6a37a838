package io.berth.operator.extender;

import io.berth.engine.extender.Extender;
import io.berth.engine.extender.Extenders;
import io.berth.operator.api.ServiceCalls;
import io.berth.operator.api.Timing;
import io.berth.operator.record.BerthMetrics;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * The clients of the extenders in policies. Equal extenders share a client, which is closed when no
 * policy revision in use refers to it.
 */
final class ExtenderClients implements AutoCloseable {

  private final Timing timing;
  private final ServiceCalls.Opener services;
  private final BerthMetrics metrics;
  private final BooleanSupplier mayBeSent;

  // Guarded by this.
  private final Map<Extender, ExtenderClient> clients = new HashMap<>();
  private final Map<String, Used> byPolicy = new HashMap<>();
  private boolean closed;

  /** The extenders that a policy revision uses. */
  private record Used(String revision, Set<Extender> extenders) {}

  ExtenderClients(
      Timing timing,
      ServiceCalls.Opener services,
      BerthMetrics metrics,
      BooleanSupplier mayBeSent) {
    this.timing = timing;
    this.services = services;
    this.metrics = metrics;
    this.mayBeSent = mayBeSent;
  }

  /** Returns the clients of a policy's extenders, in order. */
  synchronized List<ExtenderClient> of(String policy, String revision, Extenders extenders) {
    Used used = byPolicy.get(policy);
    if (used == null || !used.revision().equals(revision)) {
      used = new Used(revision, new HashSet<>());
      byPolicy.put(policy, used);
      used.extenders().addAll(extenders.extenders());
      closeUnused();
    }
    used.extenders().addAll(extenders.extenders());
    return extenders.extenders().stream().map(this::client).toList();
  }

  private ExtenderClient client(Extender extender) {
    ExtenderClient client =
        clients.computeIfAbsent(
            extender, e -> new ExtenderClient(e, timing, services, metrics, mayBeSent));
    if (closed) {
      client.close();
    }
    return client;
  }

  private void closeUnused() {
    for (Iterator<ExtenderClient> it = clients.values().iterator(); it.hasNext(); ) {
      ExtenderClient client = it.next();
      if (byPolicy.values().stream()
          .noneMatch(used -> used.extenders().contains(client.extender()))) {
        client.close();
        it.remove();
      }
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    clients.values().forEach(ExtenderClient::close);
  }
}
