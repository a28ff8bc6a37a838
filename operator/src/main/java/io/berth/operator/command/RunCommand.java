package io.berth.operator.command;

import io.berth.operator.Berth;
import io.berth.operator.BerthOptions;
import io.berth.operator.Feature;
import io.berth.operator.feed.WatchTimes;
import io.berth.operator.http.LogLevel;
import io.berth.operator.leader.LeaseTimes;
import io.berth.serving.http.PortTakenException;
import io.berth.serving.tls.ClientAuthority;
import io.berth.webhook.error.ObjectNames;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code berth run}: runs one replica until it is stopped. */
@Command(
    name = "run",
    description =
        "Runs a replica: it serves the webhook and, while it leads, reconciles and schedules.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    showDefaultValues = true)
public final class RunCommand implements Callable<Integer> {

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--kubeconfig",
      paramLabel = "FILE",
      description =
          "Kubeconfig of the cluster. Default: $KUBECONFIG, then the cluster that this pod runs"
              + " in.")
  private @Nullable Path kubeconfig;

  @Option(
      names = "--namespace",
      paramLabel = "NAME",
      defaultValue = "berth-system",
      description = "Berth's own namespace, with the Lease, the certificate, and legacy policies.")
  private String namespace = "berth-system";

  @Option(
      names = "--scheduler-name",
      paramLabel = "NAME",
      split = ",",
      defaultValue = "berth",
      description =
          "Schedule pods with this schedulerName. Separate several names with commas, or repeat the"
              + " option: --scheduler-name=berth,volcano.")
  private List<String> schedulerNames = List.of();

  @Option(
      names = "--leader-elect",
      negatable = true,
      defaultValue = "false",
      description = "Take part in the leader election with the Lease berth.")
  private boolean leaderElect;

  @Option(
      names = "--warm-up",
      negatable = true,
      defaultValue = "true",
      fallbackValue = "true",
      description =
          "Place synthetic pods in memory before this replica leads, so that it schedules at full"
              + " speed as soon as it does.")
  private boolean warmUp;

  @Option(
      names = "--http-port",
      paramLabel = "PORT",
      defaultValue = "8080",
      description = "Port for /livez and /readyz over plain HTTP; 0 selects a free port.")
  private int httpPort;

  @Option(
      names = "--https-port",
      paramLabel = "PORT",
      defaultValue = "8443",
      description =
          "Port for /metrics and /explain over TLS, with the replicas' certificate; 0 selects a"
              + " free port.")
  private int httpsPort;

  @Option(
      names = "--query-port",
      paramLabel = "PORT",
      defaultValue = "9444",
      description =
          "Port for the API group query.sched.cloud.ctrip.com over TLS, to which API servers"
              + " forward requests if --enable has query-api; 0 selects a free port.")
  private int queryPort;

  @Option(
      names = "--open-http",
      description =
          "Serve /metrics, /explain, and /log-level without authorization, also at --http-port;"
              + " only clients on the same host can change the log level.")
  private boolean openHttp;

  @Option(
      names = "--shutdown-grace",
      paramLabel = "DURATION",
      defaultValue = "PT10S",
      description =
          "How long reviews are answered after SIGTERM, until the Service's endpoints have changed,"
              + " such as PT10S or PT0S.")
  private Duration shutdownGrace = Duration.ofSeconds(10);

  @Option(
      names = "--webhook-port",
      paramLabel = "PORT",
      defaultValue = "9443",
      description = "Port of the admission webhook, over HTTPS; 0 selects a free port.")
  private int webhookPort;

  @Option(
      names = "--webhook-url",
      paramLabel = "URL",
      description =
          "https://HOST at which the API server reaches the webhook port, if Berth runs outside the"
              + " the cluster; without it the API server calls the Service berth. There is one URL"
              + " for all replicas: the leader's is registered. To have all of them called, give"
              + " the URL of a load balancer, with its port.")
  private @Nullable URI webhookUrl;

  @Option(
      names = "--webhook-client-ca",
      paramLabel = "FILE",
      description =
          "Certificates, in PEM, of the authority that signs the client certificates with which API"
              + " servers call the webhook. Other clients are then rejected in the handshake."
              + " Without it, the webhook answers every client. The file is read again when it"
              + " changes.")
  private @Nullable Path webhookClientCa;

  @Option(
      names = "--webhook-client-name",
      paramLabel = "NAME",
      split = ",",
      description =
          "Common name of an accepted client certificate; give it several times, or separate names"
              + " with commas. Without it, every certificate of --webhook-client-ca is accepted.")
  private List<String> webhookClientNames = List.of();

  @Option(
      names = "--no-webhook",
      description = "Do not serve the admission webhook: schedule only.")
  private boolean noWebhook;

  @Option(
      names = "--legacy-policies",
      negatable = true,
      defaultValue = "true",
      fallbackValue = "true",
      description =
          "Read policies in kube-scheduler's former format from ConfigMaps in Berth's namespace.")
  private boolean legacyPolicies = true;

  @Option(
      names = "--extender-files",
      paramLabel = "FOLDER",
      defaultValue = "/etc/berth/extenders",
      description =
          "Folder with the certificates and keys that tlsConfig of a SchedulingPolicy may name: one"
              + " folder for each Secret. Files elsewhere are not read.")
  private Path extenderFiles = BerthOptions.EXTENDER_FILES;

  @Option(
      names = "--token-audience",
      paramLabel = "NAME",
      split = ",",
      defaultValue = BerthOptions.AUDIENCE,
      description =
          "Audience of the tokens with which clients may read /metrics and /explain. With an empty"
              + " name, Berth accepts tokens for the API server; anyone who obtains such a token"
              + " can use it there.")
  private List<String> tokenAudiences = List.of();

  @Option(
      names = "--enable",
      paramLabel = "FEATURE",
      split = ",",
      description =
          "Features that need rights which most installations do not: hami, legacy-binding,"
              + " other-queues, query-api, repair, and webhook-restore. deploy/features has the"
              + " rights of each.")
  private List<String> features = List.of();

  @Mixin private UsageArguments usage = new UsageArguments();

  @Mixin private TracingArguments tracing = new TracingArguments();

  @Mixin private RecordingArguments recording = new RecordingArguments();

  @Option(
      names = "--log-format",
      paramLabel = "FORMAT",
      defaultValue = "AUTO",
      description = "auto (text on a terminal, else json), json or text.")
  private LogFormat logFormat = LogFormat.AUTO;

  @Option(
      names = "--log-level",
      paramLabel = "LEVEL",
      defaultValue = "INFO",
      description =
          "The level of Berth's own log: error, warn, info, debug, or trace. It can be changed with"
              + " PUT /log-level?level=LEVEL.")
  private LogLevel logLevel = LogLevel.INFO;

  @Override
  public Integer call() throws InterruptedException {
    LogSetup.use(logFormat, logLevel);
    try {
      run();
      return 0;
    } catch (StartFailure e) {
      spec.commandLine().getErr().println("berth: " + e.getMessage());
      return 1;
    }
  }

  private void run() throws StartFailure, InterruptedException {
    BerthOptions options = options();
    Stop stop = new Stop();
    Runtime.getRuntime().addShutdownHook(stop.hook());
    try {
      Config config = Cluster.find(Optional.ofNullable(kubeconfig));
      try (Berth berth = Berth.of(options, config, stop::failed)) {
        serveHealth(berth);
        Cluster.await(
            berth.client(),
            why -> {
              berth.waitsFor(why);
              logger().warn("Waiting: {}", why);
            });
        start(berth, config);
        logger()
            .info(
                "Berth runs: http://localhost:{}/readyz, https://localhost:{}/metrics",
                berth.httpPort(),
                berth.httpsPort());
        stop.await();
      }
    } finally {
      stop.closed();
    }
    Optional<String> failure = stop.failure();
    if (failure.isPresent()) {
      throw new StartFailure(
          "this replica has stopped: %s. Start it again".formatted(failure.get()));
    }
  }

  /** Answers probes while the API server is awaited: an outage of it is no reason to restart. */
  private static void serveHealth(Berth berth) throws StartFailure {
    try {
      berth.serveHealth();
    } catch (IOException e) {
      throw cannotServe(e);
    }
  }

  private static StartFailure cannotServe(IOException e) {
    return e instanceof PortTakenException
        ? new StartFailure(e.getMessage(), e)
        : new StartFailure("the HTTP server cannot start: " + e.getMessage(), e);
  }

  private static void start(Berth berth, Config config) throws StartFailure, InterruptedException {
    try {
      berth.start();
    } catch (IOException e) {
      throw cannotServe(e);
    } catch (KubernetesClientException e) {
      throw new StartFailure(
          "the cluster at %s cannot be watched: %s"
              .formatted(config.getMasterUrl(), e.getMessage()),
          e);
    }
  }

  private BerthOptions options() throws StartFailure {
    checkPort("--http-port", httpPort);
    checkPort("--https-port", httpsPort);
    checkPort("--webhook-port", webhookPort);
    checkPort("--query-port", queryPort);
    if (shutdownGrace.isNegative()) {
      throw new StartFailure(
          "--shutdown-grace %s: give a duration of 0 or more".formatted(shutdownGrace));
    }
    checkSchedulerNames();
    if (webhookUrl != null && !"https".equals(webhookUrl.getScheme())) {
      throw new StartFailure(
          "--webhook-url %s: use an https:// URL, because the API server calls webhooks only over HTTPS"
              .formatted(webhookUrl));
    }
    return new BerthOptions(
        namespace,
        Optional.ofNullable(System.getenv("POD_NAME")).orElse("berth-" + UUID.randomUUID()),
        Optional.ofNullable(System.getenv("POD_IP")).orElse("127.0.0.1"),
        schedulerNames,
        leaderElect,
        warmUp,
        LeaseTimes.defaults(),
        WatchTimes.defaults(),
        httpPort,
        httpsPort,
        queryPort,
        openHttp,
        shutdownGrace,
        noWebhook
            ? Optional.empty()
            : Optional.of(
                new BerthOptions.Webhook(
                    webhookPort, Optional.ofNullable(webhookUrl), webhookClients())),
        usage.options(),
        tracing.options(!noWebhook),
        legacyPolicies,
        extenderFiles,
        tokenAudiences.stream().filter(name -> !name.isEmpty()).toList(),
        recording.options(),
        features());
  }

  private Optional<ClientAuthority> webhookClients() throws StartFailure {
    if (webhookClientCa == null) {
      if (!webhookClientNames.isEmpty()) {
        throw new StartFailure(
            "--webhook-client-name %s: give --webhook-client-ca as well, because names count only in verified certificates"
                .formatted(String.join(",", webhookClientNames)));
      }
      return Optional.empty();
    }
    try {
      return Optional.of(ClientAuthority.read(webhookClientCa, Set.copyOf(webhookClientNames)));
    } catch (IOException e) {
      throw new StartFailure("--webhook-client-ca %s: %s".formatted(webhookClientCa, e), e);
    }
  }

  private Set<Feature> features() throws StartFailure {
    Set<Feature> on = EnumSet.noneOf(Feature.class);
    for (String name : features) {
      on.add(
          Feature.of(name)
              .orElseThrow(
                  () ->
                      new StartFailure(
                          "--enable %s: use one of %s"
                              .formatted(
                                  name,
                                  Stream.of(Feature.values())
                                      .map(Feature::label)
                                      .collect(Collectors.joining(", "))))));
    }
    return on;
  }

  private void checkSchedulerNames() throws StartFailure {
    for (String name : schedulerNames) {
      if (!ObjectNames.isValid(name)) {
        throw new StartFailure(
            ("--scheduler-name \"%s\": use names as in spec.schedulerName of pods: lowercase"
                    + " letters, digits, -, and .")
                .formatted(name));
      }
    }
    if (Set.copyOf(schedulerNames).size() < schedulerNames.size()) {
      throw new StartFailure(
          "--scheduler-name %s: use each name once".formatted(String.join(",", schedulerNames)));
    }
  }

  private static void checkPort(String option, int port) throws StartFailure {
    if (port < 0 || port > 65_535) {
      throw new StartFailure("%s %d: a port is a number from 0 to 65535".formatted(option, port));
    }
  }

  private static Logger logger() {
    return LoggerFactory.getLogger(RunCommand.class);
  }
}
