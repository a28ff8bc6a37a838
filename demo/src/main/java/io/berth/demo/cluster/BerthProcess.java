package io.berth.demo.cluster;

import io.berth.operator.command.BerthMain;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.HttpURLConnection;
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
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A Berth instance in a separate process, which is restarted whenever it ends, as by a kubelet. */
public final class BerthProcess implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BerthProcess.class);
  private static final Duration STOP_PATIENCE = Duration.ofSeconds(60);
  private static final String HTTP_PORT = "--http-port";
  private static final int PROBE_MILLIS = 2_000;
  private static final Duration READY_PATIENCE = Duration.ofMinutes(2);
  private static final Duration LOOK = Duration.ofMillis(250);
  private static final long RESTART_PAUSE_MILLIS = 1_000;

  /** Options for short-lived JVMs that share a machine with an API server. */
  private static final List<String> SMALL =
      List.of("-Xmx400m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

  private final Settings settings;
  private final Map<String, Integer> ports = new TreeMap<>();
  private final Thread keeper;
  private @Nullable Process process;
  private boolean wanted;
  private boolean closed;
  private int starts;
  private long startedAt;

  /**
   * The settings of a process.
   *
   * @param name the POD_NAME, which is its identity as Lease holder
   * @param namespace namespace of the Lease
   * @param options additional options for {@code berth run}; the name of a port option in braces is
   *     replaced by the port, as in {@code --webhook-url=https://127.0.0.1:{--webhook-port}}
   * @param java the {@code java} command of its JVM
   * @param jvmOptions options of its JVM, such as the heap size
   * @param program the final JVM options, such as {@code -jar berth.jar}
   * @param log file to which its output is appended
   */
  public record Settings(
      String name,
      Path kubeconfig,
      String namespace,
      String schedulerName,
      List<String> options,
      Path java,
      List<String> jvmOptions,
      List<String> program,
      Path log) {

    /** Settings of a process that runs on the JVM of the current process. */
    public Settings(
        String name,
        Path kubeconfig,
        String namespace,
        String schedulerName,
        List<String> options,
        List<String> jvmOptions,
        List<String> program,
        Path log) {
      this(
          name, kubeconfig, namespace, schedulerName, options, ownJava(), jvmOptions, program, log);
    }

    /** Settings of a process that runs the classes of the current process. */
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

    /** Settings of a small JVM. */
    public static Settings small(
        String name,
        Path kubeconfig,
        String namespace,
        String schedulerName,
        List<String> options,
        Path log) {
      return new Settings(name, kubeconfig, namespace, schedulerName, options, SMALL, log);
    }
  }

  /** Returns the {@code java} command of the current process. */
  public static Path ownJava() {
    return Path.of(System.getProperty("java.home"), "bin", "java");
  }

  /** Returns the JVM options to run the classes of a class path. */
  public static List<String> program(String classPath) {
    return List.of("-cp", classPath, BerthMain.class.getName());
  }

  /** Returns the JVM options to run a jar, or the classes of the current process if empty. */
  public static List<String> program(Optional<Path> jar) {
    return jar.map(file -> List.of("-jar", file.toAbsolutePath().toString()))
        .orElseGet(() -> program(System.getProperty("java.class.path")));
  }

  public BerthProcess(Settings settings) throws IOException {
    this.settings = settings;
    for (String option : portOptions()) {
      ports.put(option, ReservedPorts.next());
    }
    this.keeper =
        Thread.ofPlatform().name("keeper-" + settings.name()).daemon().unstarted(this::keep);
  }

  public String name() {
    return settings.name();
  }

  /** Returns the port of an option such as {@code --http-port}, which is kept across restarts. */
  public int port(String option) {
    return ports.get(option);
  }

  /** Starts the process and keeps it running. */
  public synchronized void start() throws IOException {
    wanted = true;
    launch();
    keeper.start();
  }

  /** Suspends the process with SIGSTOP. */
  public void pause() throws IOException, InterruptedException {
    signal("STOP");
  }

  /** Resumes the process with SIGCONT. */
  public void goOn() throws IOException, InterruptedException {
    signal("CONT");
  }

  /** Kills the process with SIGKILL and does not restart it. */
  public synchronized void kill() {
    wanted = false;
    if (process != null) {
      process.destroyForcibly();
    }
  }

  /**
   * Stops the process with SIGTERM, as a kubelet does, and waits until it has ended. It is then
   * started again.
   */
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
          "%s did not exit within %d s of SIGTERM: see %s"
              .formatted(name(), STOP_PATIENCE.toSeconds(), settings.log()));
    }
  }

  /**
   * Restarts the process after a kill and waits up to two minutes until it is ready, because the
   * start time of the JVM is not part of what is tested.
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
      LOG.warn("{} is not ready {} s after it was started", name(), READY_PATIENCE.toSeconds());
    }
  }

  /** Returns whether the readiness endpoint returns 200. */
  public boolean isReady() throws IOException {
    return isOk("/readyz");
  }

  /** Returns whether a path of the port for probes returns 200. */
  public boolean isOk(String path) throws IOException {
    HttpURLConnection request = get(path);
    try {
      return request.getResponseCode() == HttpURLConnection.HTTP_OK;
    } catch (ConnectException | SocketTimeoutException notYet) {
      return false;
    } finally {
      request.disconnect();
    }
  }

  /**
   * Returns the sum of all metrics whose line starts with the given text. Needs {@code
   * --open-http}. NaN if the process does not respond or has no such metric.
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

  /** Returns a request that has not been sent yet. */
  private HttpURLConnection get(String path) throws IOException {
    HttpURLConnection request =
        (HttpURLConnection)
            URI.create("http://127.0.0.1:" + port(HTTP_PORT) + path).toURL().openConnection();
    request.setConnectTimeout(PROBE_MILLIS);
    request.setReadTimeout(PROBE_MILLIS);
    return request;
  }

  /** Runs a full garbage collection in the JVM of the process. */
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

  /** Returns the resident memory of the process, in bytes. Linux only. */
  public long residentBytes() throws IOException {
    Path status = Path.of("/proc", Long.toString(pid()), "status");
    return Files.readAllLines(status).stream()
        .filter(line -> line.startsWith("VmRSS:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) << 10)
        .findFirst()
        .orElseThrow(() -> new IOException(status + " has no VmRSS"));
  }

  /**
   * Returns the ID of the process that was started last.
   *
   * @throws IllegalStateException if none was started
   */
  public synchronized long pid() {
    if (process == null) {
      throw new IllegalStateException(name() + " was not started");
    }
    return process.pid();
  }

  /**
   * Returns the time of the last start, as of {@link System#nanoTime}; empty while the process does
   * not run.
   */
  public synchronized OptionalLong runningSince() {
    return process != null && process.isAlive() ? OptionalLong.of(startedAt) : OptionalLong.empty();
  }

  /** Returns how many times the process has been started. */
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
      LOG.warn("{} could not be stopped gracefully: {}", name(), e.getMessage());
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
      throw new IllegalStateException(name() + " cannot be restarted", e);
    }
  }

  private synchronized void restart(Process ended, int code) throws IOException {
    if (wanted && !closed && process == ended) {
      LOG.info("{} exited with code {}; restarting it", name(), code);
      launch();
    }
  }

  private synchronized void launch() throws IOException {
    List<String> command = new ArrayList<>();
    command.add(settings.java().toString());
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
    startedAt = System.nanoTime();
    starts++;
  }

  /** Returns an option with the names of port options in braces replaced by the ports. */
  private String withPorts(String option) {
    String given = option;
    for (Map.Entry<String, Integer> port : ports.entrySet()) {
      given = given.replace("{" + port.getKey() + "}", port.getValue().toString());
    }
    return given;
  }

  /**
   * Returns all port options. Several Berth instances share this machine, so each gets free ports.
   */
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
