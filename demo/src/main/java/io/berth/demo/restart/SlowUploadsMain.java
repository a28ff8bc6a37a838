package io.berth.demo.restart;

import io.berth.demo.cluster.TrustedAuthorities;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Runs {@link SlowUploads} until standard input ends, and then prints how many bytes they have sent
 * and how many times they were rejected.
 */
public final class SlowUploadsMain {
  private SlowUploadsMain() {}

  /**
   * Runs the clients.
   *
   * @param arguments the number of clients, the port of the webhook on this machine, and a PEM file
   *     with the authorities of its certificate
   */
  public static void main(String[] arguments) throws IOException {
    SlowUploads uploads =
        new SlowUploads(
            Integer.parseInt(arguments[0]),
            Integer.parseInt(arguments[1]),
            TrustedAuthorities.context(Files.readString(Path.of(arguments[2]))));
    try (uploads) {
      while (System.in.read() >= 0) {
        // only the end matters
      }
    }
    System.out.println(uploads.sentBytes() + " " + uploads.turnedAway());
  }
}
