package io.berth.operator.leader;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one replica about the Lease of an election. Each throws {@link
 * KubernetesClientException} when the API server refuses it or cannot be reached.
 */
final class LeaseRequests {
  private final KubernetesClient client;
  private final LeaseRecord own;

  /** The lease as this replica wrote it last; null when another may have written it since. */
  private volatile @Nullable Lease written;

  LeaseRequests(KubernetesClient client, LeaseRecord own) {
    this.client = client;
    this.own = own;
  }

  /** Reads the lease; null where there is none. */
  @Nullable Lease read() {
    return client.leases().inNamespace(own.namespace()).withName(own.name()).get();
  }

  /**
   * Renews the lease by one request, as client-go does.
   *
   * @return false when the lease has to be read first: this replica did not write it last, or
   *     somebody else wrote or deleted it since
   */
  boolean renew() {
    Lease last = written;
    written = null; // until the answer says so, the request may have failed or been lost
    if (last == null) {
      return false;
    }
    try {
      written = client.resource(own.heldAfter(last)).update();
      return true;
    } catch (KubernetesClientException e) {
      if (e.getCode() == HttpURLConnection.HTTP_CONFLICT
          || e.getCode() == HttpURLConnection.HTTP_NOT_FOUND) {
        return false;
      }
      throw e;
    }
  }

  /**
   * Writes the lease as held by this replica.
   *
   * @param last the lease as it was read; null to create it
   */
  void take(@Nullable Lease last) {
    Lease held = own.heldAfter(last);
    written = last == null ? client.resource(held).create() : client.resource(held).update();
  }

  /** Gives the lease back if this replica holds it. */
  void giveBack() {
    Lease lease = read();
    if (lease != null && own.isHolder(lease)) {
      client.resource(LeaseRecord.free(lease)).update();
    }
  }

  /** Runs requests in a thread of their own, for which the caller waits no longer than a limit. */
  static <T> T within(Duration limit, Callable<T> requests)
      throws TimeoutException, InterruptedException {
    FutureTask<T> task = new FutureTask<>(requests);
    Thread.ofVirtual().name("lease-request").start(task);
    try {
      return task.get(Math.max(1, limit.toMillis()), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      TimeoutException late = new TimeoutException("the API server did not answer in time");
      late.initCause(e);
      throw late;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof KubernetesClientException failure) {
        throw failure;
      }
      throw new KubernetesClientException("lease request failed: " + e.getCause(), e.getCause());
    } finally {
      task.cancel(true);
    }
  }
}
