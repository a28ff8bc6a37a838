package io.berth.demo.nemesis;

import io.berth.demo.cluster.Patience;
import io.berth.operator.BerthMain;
import java.io.IOException;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Berth in a process of its own, which a keeper starts again whenever it ends, as a kubelet does.
 */
final class BerthProcess implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BerthProcess.class);
  private static final int STOP_SECONDS = 10;
  private static final int PROBE_MILLIS = 2_000;
  private static final Duration READY_PATIENCE = Duration.ofMinutes(2);
  private static final Duration LOOK = Duration.ofMillis(250);
  private static final long RESTART_PAUSE_MILLIS = 1_000;

  private final String name;
  private final Path kubeconfig;
  private final String namespace;
  private final String schedulerName;
  private final Path log;
  private final int httpPort;
  private final Thread keeper;
  private @Nullable Process process;
  private boolean wanted;
  private boolean closed;
  private int starts;

  /**
   * @param name its POD_NAME, by which it holds the Lease
   * @param namespace of its Lease
   * @param log where its output is appended
   */
  BerthProcess(String name, Path kubeconfig, String namespace, String schedulerName, Path log)
      throws IOException {
    this.name = name;
    this.kubeconfig = kubeconfig;
    this.namespace = namespace;
    this.schedulerName = schedulerName;
    this.log = log;
    this.httpPort = freePort();
    this.keeper = Thread.ofPlatform().name("keeper-" + name).daemon().unstarted(this::keep);
  }

  /** Starts it, and keeps it running. */
  synchronized void start() throws IOException {
    wanted = true;
    launch();
    keeper.start();
  }

  /** Stops it by SIGSTOP. */
  void pause() throws IOException, InterruptedException {
    signal("STOP");
  }

  /** Lets it go on by SIGCONT. */
  void goOn() throws IOException, InterruptedException {
    signal("CONT");
  }

  /** Ends it by SIGKILL, and keeps it down. */
  synchronized void kill() {
    wanted = false;
    if (process != null) {
      process.destroyForcibly();
    }
  }

  /**
   * Starts it again after a kill, and waits until it is ready: how long a JVM takes to start is not
   * what is judged. It is not waited for longer than two minutes.
   */
  void revive() throws IOException, InterruptedException {
    synchronized (this) {
      wanted = true;
      if (process == null || !process.isAlive()) {
        launch();
      }
      notifyAll();
    }
    if (!Patience.within(READY_PATIENCE, LOOK, this::isReady)) {
      LOG.warn("{} is not ready {} s after its start", name, READY_PATIENCE.toSeconds());
    }
  }

  private boolean isReady() throws IOException {
    HttpURLConnection request =
        (HttpURLConnection)
            URI.create("http://127.0.0.1:" + httpPort + "/readyz").toURL().openConnection();
    request.setConnectTimeout(PROBE_MILLIS);
    request.setReadTimeout(PROBE_MILLIS);
    try {
      return request.getResponseCode() == HttpURLConnection.HTTP_OK;
    } catch (ConnectException | SocketTimeoutException notYet) {
      return false;
    } finally {
      request.disconnect();
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  /** How often it was started. */
  synchronized int starts() {
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
      if (!last.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
        last.destroyForcibly();
      }
    } catch (IOException e) {
      LOG.warn("{} could not be ended gently: {}", name, e.getMessage());
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
      throw new IllegalStateException(name + " cannot be started again", e);
    }
  }

  private synchronized void restart(Process ended, int code) throws IOException {
    if (wanted && !closed && process == ended) {
      LOG.info("{} ended by itself with exit code {}: starting it again", name, code);
      launch();
    }
  }

  private synchronized void launch() throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx400m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp"));
    command.add(System.getProperty("java.class.path"));
    command.addAll(List.of(BerthMain.class.getName(), "run", "--leader-elect", "--no-webhook"));
    command.addAll(List.of("--log-format", "text"));
    command.addAll(ports());
    command.addAll(List.of("--kubeconfig", kubeconfig.toString(), "--namespace", namespace));
    command.addAll(List.of("--scheduler-name", schedulerName));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    builder.environment().put("POD_NAME", name);
    builder.environment().remove("KUBECONFIG");
    process = builder.start();
    starts++;
  }

  /** Several Berths share this machine: every port but the one that is asked is a free one. */
  private List<String> ports() {
    List<String> options = new ArrayList<>();
    for (String option :
        BerthMain.commandLine()
            .getSubcommands()
            .get("run")
            .getCommandSpec()
            .optionsMap()
            .keySet()) {
      if (option.endsWith("-port")) {
        options.add(option);
        options.add(option.equals("--http-port") ? Integer.toString(httpPort) : "0");
      }
    }
    return options;
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
