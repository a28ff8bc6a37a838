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
import java.util.Locale;

/**
 * A Berth in a process of its own, that reaches the API server only through what can disturb it.
 */
public final class ExposedBerth implements AutoCloseable {
  private static final String HOST = "127.0.0.1";

  private final Settings settings;
  private final FaultProxy proxy;
  private final TcpLink link;
  private final BerthProcess process;

  /**
   * The settings of one Berth instance.
   *
   * @param name by which it holds the Lease, and of its files
   * @param namespace of its Lease
   * @param folder for its kubeconfig and its log
   * @param seed decides which of its requests are disturbed
   */
  public record Settings(
      String name, String schedulerName, String namespace, Path folder, long seed) {}

  private ExposedBerth(Settings settings, FaultProxy proxy, TcpLink link, BerthProcess process) {
    this.settings = settings;
    this.proxy = proxy;
    this.link = link;
    this.process = process;
  }

  /**
   * Starts one.
   *
   * @param apiServer how the API server is reached; its credentials are not used
   * @param token what it acts by
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
            BerthProcess.Settings.withoutWebhook(
                settings.name(),
                kubeconfig,
                settings.namespace(),
                settings.schedulerName(),
                settings.folder().resolve(settings.name() + ".log")));
    process.start();
    return new ExposedBerth(settings, proxy, link, process);
  }

  public String name() {
    return settings.name();
  }

  /** One line on what it went through. */
  public String text() {
    return String.format(
        Locale.ROOT,
        "%s (scheduler %s): started %d times; %d requests answered 429, %d answered 500, %d carried"
            + " out and answered 504",
        settings.name(),
        settings.schedulerName(),
        process.starts(),
        proxy.refused(Refusal.THROTTLED),
        proxy.refused(Refusal.FAILED),
        proxy.refused(Refusal.LOST));
  }

  /** Returns the number of Bindings that it has sent, answered or not. */
  long bindings() {
    return proxy.bindings();
  }

  /** Returns the number of starts. */
  int starts() {
    return process.starts();
  }

  void begin(FaultKind kind) throws IOException, InterruptedException {
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
  }

  /** Lets its connections die silently that have carried nothing for a while; new ones work. */
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
