package io.berth.benchmarks.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import java.util.zip.GZIPInputStream;

/** Reads a file of test vectors: one JSON object per line, gzipped or plain. */
public final class VectorFile {
  private static final int GZIP_MAGIC = 0x1f8b;
  private static final ObjectMapper JSON = new ObjectMapper();

  private VectorFile() {}

  /**
   * Passes all vectors of the file to the reader, in order.
   *
   * @throws UncheckedIOException if the file cannot be read, or a line is not JSON
   */
  public static void forEach(InputStream file, Consumer<JsonNode> reader) {
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(unpacked(file), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (!line.isBlank()) {
          reader.accept(JSON.readTree(line));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static InputStream unpacked(InputStream file) throws IOException {
    BufferedInputStream buffered = new BufferedInputStream(file);
    buffered.mark(2);
    int magic = buffered.read() << 8 | buffered.read();
    buffered.reset();
    return magic == GZIP_MAGIC ? new GZIPInputStream(buffered) : buffered;
  }
}
