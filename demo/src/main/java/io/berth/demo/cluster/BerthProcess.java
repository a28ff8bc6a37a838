package io.berth.demo.cluster;

import io.berth.operator.BerthMain;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Berth in a process of its own, which a keeper starts again whenever it ends, as a kubelet does.
 */
public final class BerthProcess implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BerthProcess.class);
  private static final Duration STOP_PATIENCE = Duration.ofSeconds(60);
  private static final String HTTP_PORT = "--http-port";
  private static final int PROBE_MILLIS = 2_000;
  private static final Duration READY_PATIENCE = Duration.ofMinutes(2);
  private static final Duration LOOK = Duration.ofMillis(250);
  private static final long RESTART_PAUSE_MILLIS = 1_000;

  /** Of JVMs that share a machine with an API server, and live for minutes. */
  private static final List<String> SMALL =
      List.of("-Xmx400m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

  private final Settings settings;
  private final Map<String, Integer> ports = new TreeMap<>();
  private final Thread keeper;
  private @Nullable Process process;
  private boolean wanted;
  private boolean closed;
  private int starts;

  /**
   * The settings of one process.
   *
   * @param name its POD_NAME, by which it holds the Lease
   * @param namespace of its Lease
   * @param options further ones of {@code berth run}; the name of a port's option in braces stands
   *     for its number, as in {@code --webhook-url=https://127.0.0.1:{--webhook-port}}
   * @param jvmOptions options of its JVM, such as the heap size
   * @param program the JVM's last options, such as {@code -jar berth.jar}
   * @param log where its output is appended
   */
  public record Settings(
      String name,
      Path kubeconfig,
      String namespace,
      String schedulerName,
      List<String> options,
      List<String> jvmOptions,
      List<String> program,
      Path log) {

    /** A process that runs the classes of this one. */
    public Settings(
        String name,
        Path kubeconfig,
        String namespace,
        String schedulerName,
        List<String> options,
        List<String> jvmOptions,
        Path log) {
      this(
          name,
          kubeconfig,
          namespace,
          schedulerName,
          options,
          jvmOptions,
          BerthProcess.program(Optional.empty()),
          log);
    }

    /** One that schedules only, in a small JVM. */
    public static Settings withoutWebhook(
        String name, Path kubeconfig, String namespace, String schedulerName, Path log) {
      return new Settings(
          name, kubeconfig, namespace, schedulerName, List.of("--no-webhook"), SMALL, log);
    }
  }

  /** The program of a jar; without one, that of the classes of this process. */
  public static List<String> program(Optional<Path> jar) {
    return jar.map(file -> List.of("-jar", file.toAbsolutePath().toString()))
        .orElseGet(
            () -> List.of("-cp", System.getProperty("java.class.path"), BerthMain.class.getName()));
  }

  public BerthProcess(Settings settings) throws IOException {
    this.settings = settings;
    for (String option : portOptions()) {
      ports.put(option, freePort());
    }
    this.keeper =
        Thread.ofPlatform().name("keeper-" + settings.name()).daemon().unstarted(this::keep);
  }

  public String name() {
    return settings.name();
  }

  /** The port that an option such as {@code --http-port} gives it, the same after each start. */
  public int port(String option) {
    return ports.get(option);
  }

  /** Starts it, and keeps it running. */
  public synchronized void start() throws IOException {
    wanted = true;
    launch();
    keeper.start();
  }

  /** Stops it by SIGSTOP. */
  public void pause() throws IOException, InterruptedException {
    signal("STOP");
  }

  /** Lets it go on by SIGCONT. */
  public void goOn() throws IOException, InterruptedException {
    signal("CONT");
  }

  /** Ends it by SIGKILL, and keeps it down. */
  public synchronized void kill() {
    wanted = false;
    if (process != null) {
      process.destroyForcibly();
    }
  }

  /** Ends it by SIGTERM, as a kubelet does, and waits for its end; then it is started again. */
  public void restart() throws IOException, InterruptedException {
    Process ending;
    synchronized (this) {
      ending = process;
    }
    if (ending == null) {
      throw new IllegalStateException(name() + " was not started");
    }
    ending.destroy();
    if (!ending.waitFor(STOP_PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
      ending.destroyForcibly();
      throw new IOException(
          "%s has not ended %d s after SIGTERM: see %s"
              .formatted(name(), STOP_PATIENCE.toSeconds(), settings.log()));
    }
  }

  /**
   * Starts it again after a kill, and waits until it is ready: how long a JVM takes to start is not
   * what is judged. It is not waited for longer than two minutes.
   */
  public void revive() throws IOException, InterruptedException {
    synchronized (this) {
      wanted = true;
      if (process == null || !process.isAlive()) {
        launch();
      }
      notifyAll();
    }
    if (!Patience.within(READY_PATIENCE, LOOK, this::isReady)) {
      LOG.warn("{} is not ready {} s after its start", name(), READY_PATIENCE.toSeconds());
    }
  }

  /** Returns whether it answers that it is ready. */
  public boolean isReady() throws IOException {
    HttpURLConnection request = get("/readyz");
    try {
      return request.getResponseCode() == HttpURLConnection.HTTP_OK;
    } catch (ConnectException | SocketTimeoutException notYet) {
      return false;
    } finally {
      request.disconnect();
    }
  }

  /**
   * Returns the sum of its metrics whose line begins so; needs {@code --open-http}. NaN while it
   * does not answer, or has none.
   */
  public double gauge(String start) throws IOException {
    HttpURLConnection request = get("/metrics");
    try (InputStream page = request.getInputStream()) {
      return new String(page.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> line.startsWith(start))
          .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
          .reduce(Double::sum)
          .orElse(Double.NaN);
    } catch (ConnectException | SocketTimeoutException notYet) {
      return Double.NaN;
    } finally {
      request.disconnect();
    }
  }

  /** A request that is not sent yet. */
  private HttpURLConnection get(String path) throws IOException {
    HttpURLConnection request =
        (HttpURLConnection)
            URI.create("http://127.0.0.1:" + port(HTTP_PORT) + path).toURL().openConnection();
    request.setConnectTimeout(PROBE_MILLIS);
    request.setReadTimeout(PROBE_MILLIS);
    return request;
  }

  /** Has its JVM collect all garbage. */
  public void collectGarbage() throws IOException, InterruptedException {
    Process jcmd =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                Long.toString(pid()),
                "GC.run")
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(settings.log().toFile()))
            .start();
    int code = jcmd.waitFor();
    if (code != 0) {
      throw new IOException(
          "jcmd GC.run of %s ended with exit code %d: see %s"
              .formatted(name(), code, settings.log()));
    }
  }

  /** The memory that the process has, in bytes; Linux only. */
  public long residentBytes() throws IOException {
    Path status = Path.of("/proc", Long.toString(pid()), "status");
    return Files.readAllLines(status).stream()
        .filter(line -> line.startsWith("VmRSS:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) << 10)
        .findFirst()
        .orElseThrow(() -> new IOException(status + " has no VmRSS"));
  }

  private synchronized long pid() {
    if (process == null) {
      throw new IllegalStateException(name() + " was not started");
    }
    return process.pid();
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  /** Returns the number of starts. */
  public synchronized int starts() {
    return starts;
  }

  @Override
  public void close() {
    Process last;
    synchronized (this) {
      wanted = false;
      closed = true;
      last = process;
      notifyAll();
    }
    if (last == null) {
      return;
    }
    try {
      if (last.isAlive()) {
        signal("CONT");
      }
      last.destroy();
      if (!last.waitFor(STOP_PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
        last.destroyForcibly();
      }
    } catch (IOException e) {
      LOG.warn("{} could not be ended gently: {}", name(), e.getMessage());
      last.destroyForcibly();
    } catch (InterruptedException e) {
      last.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }

  private void keep() {
    try {
      while (true) {
        Process running;
        synchronized (this) {
          while (!closed && (!wanted || process == null)) {
            wait();
          }
          if (closed || process == null) {
            return;
          }
          running = process;
        }
        int code = running.waitFor();
        Thread.sleep(RESTART_PAUSE_MILLIS);
        restart(running, code);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      throw new IllegalStateException(name() + " cannot be started again", e);
    }
  }

  private synchronized void restart(Process ended, int code) throws IOException {
    if (wanted && !closed && process == ended) {
      LOG.info("{} ended with exit code {}: starting it again", name(), code);
      launch();
    }
  }

  private synchronized void launch() throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(settings.jvmOptions());
    command.addAll(settings.program());
    command.addAll(List.of("run", "--leader-elect"));
    settings.options().stream().map(this::withPorts).forEach(command::add);
    command.addAll(List.of("--log-format", "text"));
    ports.forEach((option, port) -> command.addAll(List.of(option, Integer.toString(port))));
    command.addAll(List.of("--kubeconfig", settings.kubeconfig().toString()));
    command.addAll(List.of("--namespace", settings.namespace()));
    command.addAll(List.of("--scheduler-name", settings.schedulerName()));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(settings.log().toFile()));
    builder.environment().put("POD_NAME", name());
    builder.environment().remove("KUBECONFIG");
    process = builder.start();
    starts++;
  }

  /** The option with its own ports put in for their names in braces. */
  private String withPorts(String option) {
    String given = option;
    for (Map.Entry<String, Integer> port : ports.entrySet()) {
      given = given.replace("{" + port.getKey() + "}", port.getValue().toString());
    }
    return given;
  }

  /** Several Berths share this machine: every port is a free one. */
  private static List<String> portOptions() {
    return BerthMain.commandLine()
        .getSubcommands()
        .get("run")
        .getCommandSpec()
        .optionsMap()
        .keySet()
        .stream()
        .filter(option -> option.endsWith("-port"))
        .toList();
  }

  private void signal(String signal) throws IOException, InterruptedException {
    long pid;
    synchronized (this) {
      if (process == null || !process.isAlive()) {
        return;
      }
      pid = process.pid();
    }
    Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(pid)).start();
    int code = kill.waitFor();
    if (code != 0 && ProcessHandle.of(pid).isPresent()) {
      throw new IOException("kill -%s %d ended with exit code %d".formatted(signal, pid, code));
    }
  }
}
