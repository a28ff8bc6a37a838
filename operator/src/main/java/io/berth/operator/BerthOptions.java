package io.berth.operator;

import io.berth.crds.SchedulerNames;
import io.berth.operator.feed.WatchTimes;
import io.berth.operator.leader.LeaseTimes;
import io.berth.operator.load.UsageOptions;
import io.berth.operator.trace.TracingOptions;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The settings of one replica.
 *
 * @param namespace the operator's own: the lease, the certificate, legacy policies and bindings
 *     that reach others
 * @param identity names this replica among the others
 * @param address the host or IP address at which the other replicas reach this one
 * @param schedulerNames pods that name one of them are Berth's to place; what Berth reports beside
 *     pods it reports by the first
 * @param leaderElect whether to stand for election; without it this replica leads at once
 * @param warmUp whether this replica runs the code of a leader on made-up pods before it leads
 * @param leaseTimes how fast a leader is replaced
 * @param watchTimes how soon it is noticed that something cannot be watched
 * @param httpPort where health is served in the clear; 0 takes a free port
 * @param httpsPort where metrics and explanations are served over TLS; 0 takes a free port
 * @param openHttp whether metrics and explanations are served to anyone, in the clear too, without
 *     asking the API server who may
 * @param shutdownGrace how long requests are served after this replica is no longer ready, for the
 *     endpoints of its Service to change
 * @param webhook whether and where the admission webhook is served
 * @param usage where the usage of nodes is read
 * @param tracing where traces of pods are sent; empty where none are
 */
public record BerthOptions(
    String namespace,
    String identity,
    String address,
    List<String> schedulerNames,
    boolean leaderElect,
    boolean warmUp,
    LeaseTimes leaseTimes,
    WatchTimes watchTimes,
    int httpPort,
    int httpsPort,
    boolean openHttp,
    Duration shutdownGrace,
    Optional<Webhook> webhook,
    UsageOptions usage,
    Optional<TracingOptions> tracing) {

  /** Refuses an empty list of scheduler names. */
  public BerthOptions {
    schedulerNames = List.copyOf(schedulerNames);
    if (schedulerNames.isEmpty()) {
      throw new IllegalArgumentException("there is no scheduler name");
    }
  }

  /** Returns the name by which Berth reports what is not about a pod. */
  public String firstSchedulerName() {
    return schedulerNames.getFirst();
  }

  /**
   * The admission webhook.
   *
   * @param port where it is served; 0 takes a free port
   * @param url where the API server reaches it, when that is not through the Service: {@code
   *     https://host}, with the port added where the URL has none, for a Berth that runs outside
   *     the cluster
   */
  public record Webhook(int port, Optional<URI> url) {}

  /** In the namespace {@code berth-system}, leading at once, without a webhook, on a free port. */
  public static BerthOptions local(String identity) {
    return new BerthOptions(
        "berth-system",
        identity,
        "127.0.0.1",
        List.of(SchedulerNames.BERTH),
        false,
        false,
        LeaseTimes.defaults(),
        WatchTimes.defaults(),
        0,
        0,
        false,
        Duration.ZERO,
        Optional.empty(),
        UsageOptions.defaults(),
        Optional.empty());
  }

  public BerthOptions withWebhook(Webhook served) {
    return copy(
        schedulerNames,
        leaderElect,
        leaseTimes,
        watchTimes,
        httpPort,
        openHttp,
        shutdownGrace,
        Optional.of(served));
  }

  /** Places the pods of these schedulers. */
  public BerthOptions withSchedulerNames(String... names) {
    return copy(
        List.of(names),
        leaderElect,
        leaseTimes,
        watchTimes,
        httpPort,
        openHttp,
        shutdownGrace,
        webhook);
  }

  public BerthOptions withHttp(int port, boolean open) {
    return copy(
        schedulerNames, leaderElect, leaseTimes, watchTimes, port, open, shutdownGrace, webhook);
  }

  public BerthOptions withLeaderElection(LeaseTimes times) {
    return copy(
        schedulerNames, true, times, watchTimes, httpPort, openHttp, shutdownGrace, webhook);
  }

  /** Runs the code of a leader on made-up pods before this replica leads. */
  public BerthOptions withWarmUp() {
    return new BerthOptions(
        namespace,
        identity,
        address,
        schedulerNames,
        leaderElect,
        true,
        leaseTimes,
        watchTimes,
        httpPort,
        httpsPort,
        openHttp,
        shutdownGrace,
        webhook,
        usage,
        tracing);
  }

  public BerthOptions withWatchTimes(WatchTimes times) {
    return copy(
        schedulerNames, leaderElect, leaseTimes, times, httpPort, openHttp, shutdownGrace, webhook);
  }

  public BerthOptions withShutdownGrace(Duration grace) {
    return copy(
        schedulerNames, leaderElect, leaseTimes, watchTimes, httpPort, openHttp, grace, webhook);
  }

  public BerthOptions withTracing(TracingOptions traces) {
    return new BerthOptions(
        namespace,
        identity,
        address,
        schedulerNames,
        leaderElect,
        warmUp,
        leaseTimes,
        watchTimes,
        httpPort,
        httpsPort,
        openHttp,
        shutdownGrace,
        webhook,
        usage,
        Optional.of(traces));
  }

  private BerthOptions copy(
      List<String> names,
      boolean elect,
      LeaseTimes lease,
      WatchTimes watch,
      int port,
      boolean open,
      Duration grace,
      Optional<Webhook> served) {
    return new BerthOptions(
        namespace, identity, address, names, elect, warmUp, lease, watch, port, httpsPort, open,
        grace, served, usage, tracing);
  }
}
