package io.berth.demo.sample;

import io.berth.demo.cluster.Checkout;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/** The scheduler extender of the sample, started as described in its README. */
final class LicenseExtender implements AutoCloseable {
  private final Process process;

  private LicenseExtender(Process process) {
    this.process = process;
  }

  static LicenseExtender start() {
    Path source = Checkout.find().root().resolve("samples/extenders/LicenseExtender.java");
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    try {
      return new LicenseExtender(
          new ProcessBuilder(java.toString(), source.toString(), "18899", "node-b-1", "node-a-1")
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Stops the extender. Fails if it has already exited, for example because its port is in use. */
  @Override
  public void close() {
    if (!process.isAlive()) {
      throw new IllegalStateException(
          "the extender exited with code " + process.exitValue() + "; is port 18899 free?");
    }
    process.destroyForcibly();
  }
}
