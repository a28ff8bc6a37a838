package io.berth.demo.restart;

import io.berth.demo.cluster.BerthProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Slow clients in a separate process, so that they do not slow down the measuring process. */
final class SlowUploadProcess implements AutoCloseable {
  private final Process process;

  /**
   * The traffic of slow clients so far.
   *
   * @param bytes number of bytes sent
   * @param rejections number of rejected or failed connections
   */
  record Sent(long bytes, long rejections) {
    static final Sent NOTHING = new Sent(0, 0);

    Sent plus(Sent other) {
      return new Sent(bytes + other.bytes, rejections + other.rejections);
    }
  }

  /**
   * Starts the clients.
   *
   * @param port the port of the webhook on this machine
   * @param authorities the authorities of its certificate, in PEM
   * @param folder folder for the file with the authorities
   */
  SlowUploadProcess(int clients, int port, String authorities, Path folder) throws IOException {
    Path trusted = Files.writeString(folder.resolve("webhook-authorities.pem"), authorities);
    this.process =
        new ProcessBuilder(
                List.of(
                    BerthProcess.ownJava().toString(),
                    "-cp",
                    System.getProperty("java.class.path"),
                    SlowUploadsMain.class.getName(),
                    Integer.toString(clients),
                    Integer.toString(port),
                    trusted.toString()))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
  }

  /**
   * Stops the clients, and returns what they have done.
   *
   * @throws IOException if the process had failed before
   */
  Sent stop() throws IOException, InterruptedException {
    process.getOutputStream().close();
    String done = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int code = process.waitFor();
    if (code != 0) {
      throw new IOException("the slow clients ended with exit code " + code);
    }
    String[] counts = done.strip().split(" ");
    return new Sent(Long.parseLong(counts[0]), Long.parseLong(counts[1]));
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
