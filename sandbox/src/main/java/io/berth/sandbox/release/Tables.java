package io.berth.sandbox.release;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Reader of the resource tables in this package. */
final class Tables {
  private Tables() {}

  /** Returns the lines of a table without comments. */
  static List<String> lines(String resource) {
    try (InputStream in = Tables.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException(resource + " is missing from the sandbox's jar");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.startsWith("#"))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(resource + " could not be read", e);
    }
  }
}
