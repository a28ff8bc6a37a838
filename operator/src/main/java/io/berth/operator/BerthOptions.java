package io.berth.operator;

import io.berth.crds.SchedulerNames;
import io.berth.operator.feed.WatchTimes;
import io.berth.operator.leader.LeaseTimes;
import io.berth.operator.load.UsageOptions;
import io.berth.operator.recording.RecordingOptions;
import io.berth.operator.trace.TracingOptions;
import io.berth.serving.tls.ClientAuthority;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The settings of one replica.
 *
 * @param namespace the operator's namespace: it holds the lease, the certificate, legacy policies,
 *     and bindings that apply to other namespaces
 * @param identity the unique name of this replica
 * @param address the host name or IP address at which other replicas reach this one
 * @param schedulerNames the scheduler names of the pods that Berth places; the first is also the
 *     reporter of events that are not about a pod
 * @param leaderElect whether to take part in leader election; without it this replica leads at once
 * @param warmUp whether this replica exercises the leader's code with synthetic pods before it
 *     leads
 * @param leaseTimes the timing of leader election
 * @param watchTimes the timeouts after which a failing watch is reported or ends a term
 * @param httpPort the port that serves health over plain HTTP; 0 takes a free port
 * @param httpsPort the port that serves metrics and explanations over TLS; 0 takes a free port
 * @param queryPort the port that serves the API group of queries over TLS, if {@link
 *     Feature#QUERY_API} is on; 0 takes a free port
 * @param openHttp whether metrics and explanations are served without authorization, and over plain
 *     HTTP as well
 * @param shutdownGrace how long requests are still served after this replica stops being ready, so
 *     that the endpoints of its Service can change
 * @param webhook the settings of the admission webhook; empty if this replica does not serve it
 * @param usage the source of node usage
 * @param tracing the destination of pod traces; empty if tracing is off
 * @param legacyPolicies whether ConfigMaps with legacy policies are read
 * @param extenderFiles the folder from which certificates and keys of extenders are read
 * @param tokenAudiences the audiences of the tokens with which clients may read metrics and
 *     explanations; if empty, tokens for the API server are accepted
 * @param recording where the engine is recorded while this replica leads; empty if it is not
 * @param features the features that are on, although most installations do not need them
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
    int queryPort,
    boolean openHttp,
    Duration shutdownGrace,
    Optional<Webhook> webhook,
    UsageOptions usage,
    Optional<TracingOptions> tracing,
    boolean legacyPolicies,
    Path extenderFiles,
    List<String> tokenAudiences,
    Optional<RecordingOptions> recording,
    Set<Feature> features) {

  /** The audience of the tokens with which clients read metrics and explanations. */
  public static final String AUDIENCE = "berth";

  /** The folder in which the chart mounts the Secrets with certificates of extenders. */
  public static final Path EXTENDER_FILES = Path.of("/etc/berth/extenders");

  /** Rejects an empty list of scheduler names. */
  public BerthOptions {
    schedulerNames = List.copyOf(schedulerNames);
    tokenAudiences = List.copyOf(tokenAudiences);
    features = Set.copyOf(features);
    if (schedulerNames.isEmpty()) {
      throw new IllegalArgumentException("there is no scheduler name");
    }
  }

  /** Returns the scheduler name that reports events that are not about a pod. */
  public String firstSchedulerName() {
    return schedulerNames.getFirst();
  }

  /**
   * The settings of the admission webhook.
   *
   * @param port the port that serves the webhook; 0 takes a free port
   * @param url the URL at which the API server reaches the webhook if it does not go through the
   *     Service, as when Berth runs outside the cluster: {@code https://host}; the port is added if
   *     the URL has none
   * @param clients the authority of the API servers' client certificates; if empty, the webhook
   *     answers clients without a certificate
   */
  public record Webhook(int port, Optional<URI> url, Optional<ClientAuthority> clients) {

    /** Returns settings of a webhook that answers clients without a certificate. */
    public Webhook(int port, Optional<URI> url) {
      this(port, url, Optional.empty());
    }
  }

  /**
   * Options for the namespace {@code berth-system}, without leader election or webhook, on free
   * ports.
   */
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
        0,
        false,
        Duration.ZERO,
        Optional.empty(),
        UsageOptions.defaults(),
        Optional.empty(),
        true,
        EXTENDER_FILES,
        List.of(AUDIENCE),
        Optional.empty(),
        Set.of());
  }

  public BerthOptions withWebhook(Webhook served) {
    return with(draft -> draft.webhook = Optional.of(served));
  }

  /** Returns a copy that places the pods of these schedulers. */
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

  /**
   * Returns a copy that exercises the leader's code with synthetic pods before the replica leads.
   */
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

  /** Returns a copy that ignores ConfigMaps with legacy policies. */
  public BerthOptions withoutLegacyPolicies() {
    return with(draft -> draft.legacyPolicies = false);
  }

  /** Returns a copy that records the engine. */
  public BerthOptions withRecording(RecordingOptions wanted) {
    return with(draft -> draft.recording = Optional.of(wanted));
  }

  /** Returns a copy with these features on. */
  public BerthOptions withFeatures(Feature... wanted) {
    return with(draft -> draft.features = Set.of(wanted));
  }

  /** Returns whether a feature is on. */
  public boolean has(Feature feature) {
    return features.contains(feature);
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
        queryPort,
        draft.openHttp,
        draft.shutdownGrace,
        draft.webhook,
        usage,
        draft.tracing,
        draft.legacyPolicies,
        extenderFiles,
        tokenAudiences,
        draft.recording,
        draft.features);
  }

  /** The options that {@link #with} can change. */
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
    private boolean legacyPolicies;
    private Optional<RecordingOptions> recording;
    private Set<Feature> features;

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
      legacyPolicies = options.legacyPolicies;
      recording = options.recording;
      features = options.features;
    }
  }
}
