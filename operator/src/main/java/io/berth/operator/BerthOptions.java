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
import java.util.function.Consumer;

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
    return with(draft -> draft.webhook = Optional.of(served));
  }

  /** Places the pods of these schedulers. */
  public BerthOptions withSchedulerNames(String... names) {
    return with(draft -> draft.schedulerNames = List.of(names));
  }

  public BerthOptions withHttp(int port, boolean open) {
    return with(
        draft -> {
          draft.httpPort = port;
          draft.openHttp = open;
        });
  }

  public BerthOptions withLeaderElection(LeaseTimes times) {
    return with(
        draft -> {
          draft.leaderElect = true;
          draft.leaseTimes = times;
        });
  }

  /** Runs the code of a leader on made-up pods before this replica leads. */
  public BerthOptions withWarmUp() {
    return with(draft -> draft.warmUp = true);
  }

  public BerthOptions withWatchTimes(WatchTimes times) {
    return with(draft -> draft.watchTimes = times);
  }

  public BerthOptions withShutdownGrace(Duration grace) {
    return with(draft -> draft.shutdownGrace = grace);
  }

  public BerthOptions withTracing(TracingOptions traces) {
    return with(draft -> draft.tracing = Optional.of(traces));
  }

  private BerthOptions with(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return new BerthOptions(
        namespace,
        identity,
        address,
        draft.schedulerNames,
        draft.leaderElect,
        draft.warmUp,
        draft.leaseTimes,
        draft.watchTimes,
        draft.httpPort,
        httpsPort,
        draft.openHttp,
        draft.shutdownGrace,
        draft.webhook,
        usage,
        draft.tracing);
  }

  /** The options that can be changed. */
  private static final class Draft {
    private List<String> schedulerNames;
    private boolean leaderElect;
    private boolean warmUp;
    private LeaseTimes leaseTimes;
    private WatchTimes watchTimes;
    private int httpPort;
    private boolean openHttp;
    private Duration shutdownGrace;
    private Optional<Webhook> webhook;
    private Optional<TracingOptions> tracing;

    Draft(BerthOptions options) {
      schedulerNames = options.schedulerNames;
      leaderElect = options.leaderElect;
      warmUp = options.warmUp;
      leaseTimes = options.leaseTimes;
      watchTimes = options.watchTimes;
      httpPort = options.httpPort;
      openHttp = options.openHttp;
      shutdownGrace = options.shutdownGrace;
      webhook = options.webhook;
      tracing = options.tracing;
    }
  }
}
