package io.berth.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * Puts the load of a large cluster on a sandbox and prints the cost, for server and client
 * separately: {@code LoadMain [nodes] [pods] [connections] [warm-up] [server's JVM options...]}.
 * The server is {@link SandboxMain} in a separate JVM, with one watch on pods. The pods of the
 * warm-up are in a separate namespace.
 */
final class LoadMain {
  private static final long QUIET_MILLIS = 40;

  private final URI server;
  private final SSLContext trust;
  private final String token;
  private final ProcessHandle process;
  private final int connections;

  private LoadMain(JsonNode kubeconfig, ProcessHandle process, int connections)
      throws IOException, GeneralSecurityException {
    JsonNode cluster = kubeconfig.at("/clusters/0/cluster");
    this.server = URI.create(cluster.path("server").asText());
    this.trust = trust(cluster.path("certificate-authority-data").asText());
    this.token = kubeconfig.at("/users/0/user/token").asText();
    this.process = process;
    this.connections = connections;
  }

  /** Starts a server, runs the load, and stops the server. */
  public static void main(String[] arguments)
      throws IOException, InterruptedException, GeneralSecurityException {
    int nodes = number(arguments, 0, 5_000);
    int pods = number(arguments, 1, 20_000);
    int connections = number(arguments, 2, 16);
    int warmUp = number(arguments, 3, 10_000);
    Path kubeconfig = Files.createTempFile("berth-load", ".kubeconfig");
    Process server = start(kubeconfig, List.of(arguments).stream().skip(4).toList());
    try {
      LoadMain load =
          new LoadMain(
              new YAMLMapper().readTree(kubeconfig.toFile()), server.toHandle(), connections);
      load.run(nodes, pods, warmUp);
      heap(server.pid());
    } finally {
      server.destroy();
      server.waitFor();
      Files.delete(kubeconfig);
    }
  }

  private static int number(String[] arguments, int at, int absent) {
    return arguments.length > at ? Integer.parseInt(arguments[at]) : absent;
  }

  private static Process start(Path kubeconfig, List<String> jvmOptions) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(jvmOptions.isEmpty() ? List.of("-Xmx2g") : jvmOptions);
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(SandboxMain.class.getName(), "--nodes", "0"));
    command.addAll(List.of("--port", "0", "--kubeconfig", kubeconfig.toString()));
    Process server =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    for (String line = server.inputReader().readLine();
        line == null || !line.startsWith("export");
        line = server.inputReader().readLine()) {
      if (line == null) {
        throw new IOException("the server did not start");
      }
    }
    return server;
  }

  private void run(int nodes, int pods, int warmUp) throws IOException, InterruptedException {
    try (PlainConnection first = new PlainConnection(server, trust, token);
        PlainConnection watch = new PlainConnection(server, trust, token)) {
      first.post(
          "/api/v1/namespaces",
          "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"warm\"}}",
          201);
      Thread.ofPlatform().daemon().start(() -> drain(watch));
      measure("nodes created", nodes, (c, i) -> c.post("/api/v1/nodes", node(i), 201));
      System.out.println("cold:");
      create("warm", warmUp, nodes);
      System.out.println("warm:");
      create("default", pods, nodes);
      measure(
          "lists by node",
          2_000,
          (c, i) -> c.get("/api/v1/pods?fieldSelector=spec.nodeName%3Dn" + i % nodes));
      long start = System.nanoTime();
      int bytes = first.get("/api/v1/pods").length;
      System.out.printf(
          "list of all pods: %d MiB in %d ms%n",
          bytes >> 20, (System.nanoTime() - start) / 1_000_000);
    }
  }

  private static void drain(PlainConnection watch) {
    try {
      watch.watch("/api/v1/pods?watch=true");
    } catch (IOException e) {
      // The load is over, and its connections are closed.
    }
  }

  private void create(String namespace, int pods, int nodes) throws InterruptedException {
    String path = "/api/v1/namespaces/" + namespace + "/pods";
    measure("pods created", pods, (c, i) -> c.post(path, pod(i), 201));
    if (nodes > 0) {
      measure(
          "pods bound",
          pods,
          (c, i) -> c.post(path + "/p" + i + "/binding", binding(i, nodes), 201));
    }
  }

  private interface Call {
    void make(PlainConnection connection, int i) throws IOException;
  }

  private void measure(String what, int count, Call call) throws InterruptedException {
    settle();
    AtomicInteger next = new AtomicInteger();
    AtomicReference<Optional<IOException>> failure = new AtomicReference<>(Optional.empty());
    long start = System.nanoTime();
    Duration server = cpu(process);
    Duration own = cpu(ProcessHandle.current());
    List<Thread> threads = new ArrayList<>();
    for (int c = 0; c < connections; c++) {
      threads.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    try (PlainConnection connection =
                        new PlainConnection(this.server, trust, token)) {
                      for (int i = next.getAndIncrement(); i < count; i = next.getAndIncrement()) {
                        call.make(connection, i);
                      }
                    } catch (IOException e) {
                      failure.set(Optional.of(e));
                    }
                  }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    failure.get().ifPresent(e -> System.out.println(what + " failed: " + e));
    double seconds = (System.nanoTime() - start) / 1e9;
    System.out.printf(
        "%s: %d in %.1f s, %.0f/s; server %.3f ms, client %.3f ms of a processor each%n",
        what,
        count,
        seconds,
        count / seconds,
        cpu(process).minus(server).toNanos() / 1e6 / count,
        cpu(ProcessHandle.current()).minus(own).toNanos() / 1e6 / count);
  }

  /** Waits until the server has processed the effects of previous calls. */
  private void settle() throws InterruptedException {
    Duration before = cpu(process);
    for (Duration now = null; now == null || now.minus(before).toMillis() > QUIET_MILLIS; ) {
      before = now == null ? before : now;
      Thread.sleep(500);
      now = cpu(process);
    }
  }

  private static Duration cpu(ProcessHandle process) {
    return process.info().totalCpuDuration().orElse(Duration.ZERO);
  }

  private static void heap(long pid) throws IOException, InterruptedException {
    String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
    for (String question : List.of("GC.run", "GC.heap_info")) {
      Process asked = new ProcessBuilder(jcmd, Long.toString(pid), question).start();
      asked
          .inputReader()
          .lines()
          .filter(line -> line.contains("used"))
          .forEach(System.out::println);
      asked.waitFor();
    }
  }

  private static SSLContext trust(String authority) throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, new char[0]);
    try (InputStream pem = new ByteArrayInputStream(Base64.getDecoder().decode(authority))) {
      store.setCertificateEntry(
          "ca", CertificateFactory.getInstance("X.509").generateCertificate(pem));
    }
    TrustManagerFactory managers =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    managers.init(store);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, managers.getTrustManagers(), null);
    return context;
  }

  private static String node(int i) {
    return """
    {"apiVersion":"v1","kind":"Node","metadata":{"name":"n%d","labels":{"kubernetes.io/hostname":"n%d",
    "topology.kubernetes.io/zone":"z%d"}},"status":{"capacity":{"cpu":"8","memory":"32Gi","pods":"110"},
    "conditions":[{"type":"Ready","status":"True"}]}}\
    """
        .formatted(i, i, i % 3);
  }

  private static String pod(int i) {
    return """
    {"apiVersion":"v1","kind":"Pod","metadata":{"name":"p%d","labels":{"app":"a%d"}},"spec":{"schedulerName":"berth",
    "containers":[{"name":"c","image":"nginx:1.29","resources":{"requests":{"cpu":"100m","memory":"128Mi"}}}]}}\
    """
        .formatted(i, i % 100);
  }

  private static String binding(int i, int nodes) {
    return """
    {"apiVersion":"v1","kind":"Binding","metadata":{"name":"p%d"},"target":{"kind":"Node","name":"n%d"}}\
    """
        .formatted(i, i % nodes);
  }
}
