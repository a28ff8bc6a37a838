package io.berth.sandbox;

import io.berth.sandbox.http.PortInUseException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/**
 * Runs a sandbox until it is interrupted: {@code SandboxMain [--host HOST] [--port PORT]
 * [--kubeconfig FILE]}.
 */
public final class SandboxMain {
  private static final String USAGE =
      "usage: SandboxMain [--host HOST] [--port PORT] [--kubeconfig FILE]";

  private SandboxMain() {}

  /** Exits with 2 if the arguments cannot be understood, with 1 if the sandbox cannot start. */
  public static void main(String[] arguments) throws InterruptedException {
    int code = run(arguments, System.out, System.err, new CountDownLatch(1));
    if (code != 0) {
      System.exit(code);
    }
  }

  /** Runs until the latch opens; the exit code. */
  static int run(String[] arguments, PrintStream out, PrintStream err, CountDownLatch stop)
      throws InterruptedException {
    SandboxOptions options = SandboxOptions.defaults();
    Path kubeconfig = Path.of("kubeconfig");
    for (int i = 0; i < arguments.length; i += 2) {
      if (i + 1 == arguments.length) {
        err.println(arguments[i] + " needs a value; " + USAGE);
        return 2;
      }
      String value = arguments[i + 1];
      switch (arguments[i]) {
        case "--host" ->
            options = new SandboxOptions(value, options.port(), options.history(), options.clock());
        case "--kubeconfig" -> kubeconfig = Path.of(value);
        case "--port" -> {
          if (!value.matches("\\d{1,5}")) {
            err.println("--port needs a number from 0 to 65535, not " + value + "; " + USAGE);
            return 2;
          }
          options = options.withPort(Integer.parseInt(value));
        }
        default -> {
          err.println("unknown argument " + arguments[i] + "; " + USAGE);
          return 2;
        }
      }
    }
    try (Sandbox sandbox = Sandbox.start(options)) {
      sandbox.writeKubeconfig(kubeconfig);
      out.println("The sandbox listens on " + sandbox.url() + ".");
      out.println("export KUBECONFIG=" + kubeconfig.toAbsolutePath());
      stop.await();
      return 0;
    } catch (IOException e) {
      err.println("the kubeconfig cannot be written to " + kubeconfig + ": " + e.getMessage());
      return 1;
    } catch (PortInUseException e) {
      err.println(e.getMessage());
      return 1;
    }
  }
}
