package io.berth.operator.leader;

import io.berth.operator.api.ResourceVersions;
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
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The API requests about an election's Lease. Each throws {@link KubernetesClientException} when
 * the API server rejects it or cannot be reached.
 */
final class LeaseRequests {
  private final KubernetesClient client;
  private final LeaseRecord own;
  private final Consumer<String> wentBack;

  /** The latest version of the lease that was read or written. */
  private volatile String newest = "";

  /** The lease as this replica last wrote it; null if another client may have written it since. */
  private volatile @Nullable Lease written;

  /**
   * @param wentBack receives a finding if the lease is older than it was before the request
   */
  LeaseRequests(KubernetesClient client, LeaseRecord own, Consumer<String> wentBack) {
    this.client = client;
    this.own = own;
    this.wentBack = wentBack;
  }

  /** Compares the lease in a response with the latest version before the request was sent. */
  private @Nullable Lease noted(@Nullable Lease lease, String before) {
    if (lease != null) {
      String version = lease.getMetadata().getResourceVersion();
      if (ResourceVersions.precedes(version, before)) {
        wentBack.accept(
            ResourceVersions.wentBack(
                "Lease " + own.namespace() + "/" + own.name(), before, version));
      }
      newest = ResourceVersions.later(version, newest);
    }
    return lease;
  }

  /** Reads the lease; null if it does not exist. */
  @Nullable Lease read() {
    String before = newest;
    return noted(client.leases().inNamespace(own.namespace()).withName(own.name()).get(), before);
  }

  /**
   * Renews the lease with one request, as client-go does.
   *
   * @return false if the lease must be read first, because this replica did not write it last, or
   *     another client has since changed or deleted it
   */
  boolean renew() {
    Lease last = written;
    written = null; // until the response confirms it, the request may have failed
    if (last == null) {
      return false;
    }
    try {
      String before = newest;
      written = noted(client.resource(own.heldAfter(last)).update(), before);
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
   * @param last the lease as last read; null to create it
   */
  void take(@Nullable Lease last) {
    Lease held = own.heldAfter(last);
    String before = newest;
    written =
        noted(
            last == null ? client.resource(held).create() : client.resource(held).update(), before);
  }

  /** Releases the lease if this replica holds it. */
  void giveBack() {
    Lease lease = read();
    if (lease != null && own.isHolder(lease)) {
      client.resource(LeaseRecord.free(lease)).update();
    }
  }

  /** Runs requests on another thread, and waits for them no longer than the limit. */
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
