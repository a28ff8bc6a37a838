package io.berth.operator.recording;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The files of a recording, which together have a bounded size: a new one is begun when one is
 * full, and the oldest ones are deleted for it. Confined to one thread.
 */
public final class RecordingFiles {
  /** A file that has reached this part of the size is full, and is followed by another one. */
  private static final int FULL = 8;

  /** A file has at most this part of the size: until there is a new engine, it grows further. */
  private static final int LARGEST = 4;

  private static final Pattern NAME = Pattern.compile("berth-(\\d{8})\\.recording");

  private final Path directory;
  private final long bytes;
  private long written;

  RecordingFiles(Path directory, long bytes) {
    this.directory = directory;
    this.bytes = bytes;
  }

  Path directory() {
    return directory;
  }

  /** Returns the files of a directory, the oldest first. */
  public static List<Path> in(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(file -> NAME.matcher(file.getFileName().toString()).matches())
          .sorted()
          .toList();
    }
  }

  /** Returns whether the current file has reached its size. */
  boolean isFull() {
    return written >= bytes / FULL;
  }

  /** Returns whether nothing more may be written to the current file. */
  boolean isAtLimit() {
    return written >= bytes / LARGEST;
  }

  /**
   * Creates a new file, and before deletes the oldest ones for which there would be no room beside
   * it.
   */
  OutputStream next() throws IOException {
    List<Path> files = in(directory);
    long total = 0;
    for (int i = files.size() - 1; i >= 0; i--) {
      total += Files.size(files.get(i));
      if (total > bytes - bytes / LARGEST) {
        Files.deleteIfExists(files.get(i));
      }
    }
    int number = 1;
    if (!files.isEmpty()) {
      Matcher last = NAME.matcher(files.getLast().getFileName().toString());
      number = last.matches() ? Integer.parseInt(last.group(1)) + 1 : 1;
    }
    written = 0;
    return new FilterOutputStream(
        Files.newOutputStream(directory.resolve("berth-%08d.recording".formatted(number)))) {
      @Override
      public void write(int single) throws IOException {
        out.write(single);
        written++;
      }

      @Override
      public void write(byte[] bytes, int offset, int length) throws IOException {
        out.write(bytes, offset, length);
        written += length;
      }
    };
  }
}
