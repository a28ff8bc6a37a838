package io.berth.demo.load;

import io.berth.crds.Installation;
import io.berth.demo.cluster.BerthInstallation;
import io.berth.demo.cluster.BerthProcess;
import io.berth.demo.cluster.Checkout;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The ways to start a scheduler for a measurement, each in a process of its own. */
public final class SchedulerProcess {
  private static final int STOP_SECONDS = 10;

  /** The heap of the Deployment: three quarters of its memory limit of 2 GiB. */
  private static final List<String> HEAP_OF_THE_DEPLOYMENT = List.of("-Xmx1536m");

  private SchedulerProcess() {}

  /**
   * The program of a Berth process.
   *
   * @param jar berth.jar; empty to run the classes of the current process
   * @param aotCache the cache with which the jar starts faster
   */
  public record Program(Optional<Path> jar, Optional<Path> aotCache) {}

  /**
   * Returns a start of Berth with the heap of the Deployment and no webhook. Berth must be
   * installed.
   *
   * @param folder folder for its kubeconfig and its log
   */
  public static SchedulerRun.Start berth(KubernetesClient admin, Path folder, Program program) {
    return load -> {
      Files.createDirectories(folder);
      List<String> jvmOptions =
          program
              .aotCache()
              .map(cache -> List.of(HEAP_OF_THE_DEPLOYMENT.getFirst(), "-XX:AOTCache=" + cache))
              .orElse(HEAP_OF_THE_DEPLOYMENT);
      BerthProcess process =
          new BerthProcess(
              new BerthProcess.Settings(
                  "make-bench-e2e",
                  BerthInstallation.writeKubeconfig(admin, folder),
                  Installation.NAMESPACE,
                  "berth",
                  List.of("--no-webhook", "--open-http"),
                  jvmOptions,
                  BerthProcess.program(program.jar()),
                  folder.resolve("berth.log")));
      Instant launched = Instant.now();
      process.start();
      return new SchedulerRun.Running(
          Optional.of(launched), ProcessHandle.of(process.pid()), process);
    };
  }

  /** Installs what Berth needs to run as its ServiceAccount. */
  public static void installBerth(KubernetesClient admin) {
    BerthInstallation.install(admin, Checkout.find());
  }

  /**
   * Returns a start of a client that places each pod on the next node and writes the same Bindings
   * and events as Berth: no scheduler on this machine can be faster.
   *
   * @param folder folder for its kubeconfig and its log
   */
  public static SchedulerRun.Start bareClient(KubernetesClient admin, Path folder) {
    return load -> {
      Files.createDirectories(folder);
      ProcessBuilder builder =
          new ProcessBuilder(
              BerthProcess.ownJava().toString(),
              "-Xmx1g",
              "-cp",
              System.getProperty("java.class.path"),
              BareClient.class.getName(),
              BerthInstallation.writeKubeconfig(admin, folder).toString(),
              load.namespace());
      return running(builder.redirectOutput(folder.resolve("bare-client.log").toFile()));
    };
  }

  /**
   * Returns a start by a shell command, which must not leave the scheduler to a process that it
   * does not wait for.
   */
  public static SchedulerRun.Start command(String command) {
    return load ->
        running(
            new ProcessBuilder("sh", "-c", "exec " + command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD));
  }

  /** Returns a start that asks the user to start the scheduler; its CPU time stays unknown. */
  public static SchedulerRun.Start byUser(String name, PrintWriter out) {
    return load -> {
      out.println("All pods are pending. Start the scheduler " + name + " now.");
      out.flush();
      return new SchedulerRun.Running(Optional.empty(), Optional.empty(), () -> {});
    };
  }

  private static SchedulerRun.Running running(ProcessBuilder builder) throws IOException {
    Instant launched = Instant.now();
    Process process = builder.redirectErrorStream(true).start();
    return new SchedulerRun.Running(
        Optional.of(launched), Optional.of(process.toHandle()), () -> stop(process));
  }

  private static void stop(Process process) throws InterruptedException {
    process.destroy();
    if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
    }
  }
}
