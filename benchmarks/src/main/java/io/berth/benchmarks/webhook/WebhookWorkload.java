package io.berth.benchmarks.webhook;

import com.sun.management.OperatingSystemMXBean;
import io.berth.serving.http.RequestObserver;
import io.berth.serving.http.ServerSettings;
import io.berth.serving.tls.CertificateAuthority;
import io.berth.serving.tls.CertificateState;
import io.berth.serving.tls.LiveCertificate;
import io.berth.serving.tls.RenewalRules;
import io.berth.webhook.admission.AdmissionObserver;
import io.berth.webhook.admission.AdmissionService;
import io.berth.webhook.admission.ConfigLookup;
import io.berth.webhook.admission.PodMutator;
import io.berth.webhook.admission.WebhookServer;
import io.berth.webhook.validation.ConfigValidator;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * Measures the webhook over HTTPS with an open-loop load: reviews are due at a fixed rate,
 * regardless of pending responses. The load generator runs in the same JVM, so the figures are
 * conservative.
 */
public final class WebhookWorkload {
  private static final byte[] PATCH = "\"patch\"".getBytes(StandardCharsets.US_ASCII);

  private final WebhookLoad load;
  private final List<byte[]> bodies = Reviews.bodies();
  private final AtomicInteger next = new AtomicInteger();
  private final AtomicInteger changed = new AtomicInteger();

  private WebhookWorkload(WebhookLoad load) {
    this.load = load;
  }

  /**
   * Starts a webhook, runs the load against it, and stops it.
   *
   * @throws IOException if a review fails
   */
  public static WebhookFigures run(WebhookLoad load) throws IOException, InterruptedException {
    LiveCertificate certificate =
        new LiveCertificate(
            CertificateState.begin(
                new CertificateAuthority(new SecureRandom()),
                RenewalRules.usual(List.of("localhost")),
                Instant.now()));
    AdmissionService service =
        new AdmissionService(
            Reviews.catalog(load.bindings()),
            new PodMutator(ConfigLookup.nothing(), InstantSource.system()),
            new ConfigValidator((name, spec) -> List.of()),
            AdmissionObserver.none());
    try (WebhookServer server =
        WebhookServer.start(
            ServerSettings.reviews(0), certificate, service, RequestObserver.none())) {
      return new WebhookWorkload(load).measure(server.port(), trusting(certificate));
    }
  }

  private WebhookFigures measure(int port, SSLContext tls)
      throws IOException, InterruptedException {
    int warm = count(load.warmUp());
    int total = warm + count(load.measured());
    long[] latencies = new long[total];
    long cpu;
    long period = Duration.ofSeconds(1).toNanos() / load.reviewsPerSecond();
    List<KeepAliveConnection> connections = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < load.connections(); i++) {
        connections.add(new KeepAliveConnection(tls, port));
      }
      long start = System.nanoTime();
      List<Future<?>> workers = new ArrayList<>();
      for (KeepAliveConnection connection : connections) {
        workers.add(
            threads.submit(
                () -> {
                  send(connection, start, period, warm, latencies);
                  return null;
                }));
      }
      LockSupport.parkNanos(start + warm * period - System.nanoTime());
      cpu = processorTime();
      for (Future<?> worker : workers) {
        worker.get();
      }
      cpu = processorTime() - cpu;
    } catch (ExecutionException e) {
      throw new IOException("a review was not answered: " + e.getCause().getMessage(), e);
    } finally {
      for (KeepAliveConnection connection : connections) {
        connection.close();
      }
    }
    long[] measured = Arrays.copyOfRange(latencies, warm, total);
    long last = 0;
    for (int i = 0; i < measured.length; i++) {
      last = Math.max(last, i * period + measured[i]);
    }
    Arrays.sort(measured);
    return new WebhookFigures(
        load,
        measured.length,
        changed.get(),
        measured.length / (last / 1e9),
        millis(measured, 0.50),
        millis(measured, 0.99),
        measured[measured.length - 1] / 1e6,
        cpu / 1e6 / measured.length);
  }

  private static long processorTime() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
  }

  /** Takes the next review, waits until it is due, and measures its latency from that time. */
  private void send(
      KeepAliveConnection connection, long start, long period, int warm, long[] latencies)
      throws IOException {
    for (int i = next.getAndIncrement(); i < latencies.length; i = next.getAndIncrement()) {
      long due = start + i * period;
      for (long wait = due - System.nanoTime(); wait > 0; wait = due - System.nanoTime()) {
        LockSupport.parkNanos(wait);
      }
      byte[] answer = connection.post(bodies.get(i % bodies.size()));
      latencies[i] = System.nanoTime() - due;
      if (i >= warm && contains(answer, PATCH)) {
        changed.incrementAndGet();
      }
    }
  }

  private int count(Duration duration) {
    return Math.toIntExact(duration.toMillis() * load.reviewsPerSecond() / 1000);
  }

  private static double millis(long[] sorted, double share) {
    return sorted[(int) Math.ceil(share * sorted.length) - 1] / 1e6;
  }

  private static boolean contains(byte[] text, byte[] part) {
    for (int i = 0; i + part.length <= text.length; i++) {
      if (Arrays.equals(text, i, i + part.length, part, 0, part.length)) {
        return true;
      }
    }
    return false;
  }

  private static SSLContext trusting(LiveCertificate certificate) throws IOException {
    try {
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      store.setCertificateEntry(
          "ca",
          CertificateFactory.getInstance("X.509")
              .generateCertificate(
                  new ByteArrayInputStream(
                      certificate.caBundle().getBytes(StandardCharsets.US_ASCII))));
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(store);
      SSLContext tls = SSLContext.getInstance("TLS");
      tls.init(null, trust.getTrustManagers(), null);
      return tls;
    } catch (GeneralSecurityException e) {
      throw new IOException("cannot trust the webhook's certificate", e);
    }
  }
}
