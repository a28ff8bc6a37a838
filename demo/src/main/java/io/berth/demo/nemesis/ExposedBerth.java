package io.berth.demo.nemesis;

import io.berth.demo.cluster.BerthProcess;
import io.berth.demo.cluster.Kubeconfig;
import io.berth.demo.nemesis.FaultProxy.Refusal;
import io.berth.sandbox.http.Certificates;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.internal.SSLUtils;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;

/**
 * A Berth instance in a separate process whose connections to the API server go through a
 * fault-injecting link and proxy.
 */
public final class ExposedBerth implements AutoCloseable {
  private static final String HOST = "127.0.0.1";

  private final Settings settings;
  private final FaultProxy proxy;
  private final TcpLink link;
  private final BerthProcess process;
  private volatile OptionalLong calmSince = OptionalLong.of(System.nanoTime());

  /**
   * The settings of a Berth instance.
   *
   * @param name its identity as Lease holder, and the base name of its files
   * @param namespace namespace of its Lease
   * @param folder folder for its kubeconfig and its log
   * @param seed seed for the selection of requests that fail
   * @param options additional options for {@code berth run}
   */
  public record Settings(
      String name,
      String schedulerName,
      String namespace,
      Path folder,
      long seed,
      List<String> options) {
    public Settings {
      options = List.copyOf(options);
    }
  }

  private ExposedBerth(Settings settings, FaultProxy proxy, TcpLink link, BerthProcess process) {
    this.settings = settings;
    this.proxy = proxy;
    this.link = link;
    this.process = process;
  }

  /**
   * Starts an instance.
   *
   * @param apiServer connection settings of the API server; its credentials are not used
   * @param token the bearer token of the instance
   */
  public static ExposedBerth start(Vertx vertx, Config apiServer, String token, Settings settings)
      throws IOException, GeneralSecurityException {
    Certificates certificates = Certificates.make(HOST);
    FaultProxy proxy =
        new FaultProxy(
            vertx,
            URI.create(apiServer.getMasterUrl()),
            SSLUtils.trustManagers(apiServer)[0],
            certificates.keyManager(),
            settings.seed());
    TcpLink link = new TcpLink(vertx, proxy.port());
    Path kubeconfig = settings.folder().resolve(settings.name() + ".kubeconfig");
    Files.writeString(
        kubeconfig,
        Kubeconfig.of(
            "https://" + HOST + ":" + link.port(),
            certificates.authorityPem().getBytes(StandardCharsets.US_ASCII),
            token));
    BerthProcess process =
        new BerthProcess(
            BerthProcess.Settings.small(
                settings.name(),
                kubeconfig,
                settings.namespace(),
                settings.schedulerName(),
                settings.options(),
                settings.folder().resolve(settings.name() + ".log")));
    process.start();
    return new ExposedBerth(settings, proxy, link, process);
  }

  public String name() {
    return settings.name();
  }

  /** Returns a one-line summary of its starts and failed requests. */
  public String text() {
    return String.format(
        Locale.ROOT,
        "%s (scheduler %s): started %d times; %d requests answered with 429, %d with 500, %d"
            + " executed but answered with 504",
        settings.name(),
        settings.schedulerName(),
        process.starts(),
        proxy.refused(Refusal.THROTTLED),
        proxy.refused(Refusal.FAILED),
        proxy.refused(Refusal.LOST));
  }

  /** Returns the number of Bindings that it has sent, whether answered or not. */
  long bindings() {
    return proxy.bindings();
  }

  /** Returns how many times the process has been started. */
  int starts() {
    return process.starts();
  }

  /** Returns the process. */
  public BerthProcess process() {
    return process;
  }

  /**
   * Returns the time, as of {@link System#nanoTime}, since which it has run without a fault; empty
   * while it has one, or does not run.
   */
  public OptionalLong calmSince() {
    OptionalLong calm = calmSince;
    OptionalLong running = process.runningSince();
    return calm.isEmpty() || running.isEmpty()
        ? OptionalLong.empty()
        : OptionalLong.of(Math.max(calm.getAsLong(), running.getAsLong()));
  }

  void begin(FaultKind kind) throws IOException, InterruptedException {
    calmSince = OptionalLong.empty();
    switch (kind) {
      case PAUSE -> process.pause();
      case KILL -> process.kill();
      case CUT -> link.cut();
      case SILENCE -> link.silence();
      case DELAY -> proxy.weather(Weather.SLOW);
      case THROTTLE -> proxy.weather(Weather.THROTTLING);
      case FAIL -> proxy.weather(Weather.FAILING);
      case LOSE -> proxy.weather(Weather.LOSING);
    }
  }

  void end(FaultKind kind) throws IOException, InterruptedException {
    switch (kind) {
      case PAUSE -> process.goOn();
      case KILL -> process.revive();
      case CUT, SILENCE -> link.mend();
      case DELAY, THROTTLE, FAIL, LOSE -> proxy.weather(Weather.CLEAR);
    }
    calmSince = OptionalLong.of(System.nanoTime());
  }

  /** Makes connections that have been idle for a while fail silently. New connections work. */
  void forgetIdleConnections(Duration idle) {
    link.forgetIdle(idle);
  }

  @Override
  public void close() {
    process.close();
    link.close();
    proxy.close();
  }
}
