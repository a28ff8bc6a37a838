package io.berth.operator.feed;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Splits the parts of one watch response into frames, one for each event. Not thread-safe. */
interface WatchFrames {
  /** Far more than the largest object of a cluster; a longer frame means that it is not one. */
  int LONGEST_BYTES = 64 * 1024 * 1024;

  /**
   * Takes the next part of the response.
   *
   * @param to receives the frames that end in this part
   * @throws IOException if the response is not a sequence of frames
   */
  void take(ByteBuffer part, Consumer<byte[]> to) throws IOException;

  /** Frames that end with a line feed, which is not part of the frame. Empty lines are skipped. */
  final class Lines implements WatchFrames {
    private final ByteArrayOutputStream unfinished = new ByteArrayOutputStream();

    @Override
    public void take(ByteBuffer part, Consumer<byte[]> to) throws IOException {
      byte[] bytes = new byte[part.remaining()];
      part.get(bytes);
      int from = 0;
      for (int i = 0; i < bytes.length; i++) {
        if (bytes[i] == '\n') {
          unfinished.write(bytes, from, i - from);
          if (unfinished.size() > 0) {
            to.accept(unfinished.toByteArray());
            unfinished.reset();
          }
          from = i + 1;
        }
      }
      unfinished.write(bytes, from, bytes.length - from);
      if (unfinished.size() > LONGEST_BYTES) {
        throw new IOException(
            "the watch sent %d bytes without an end".formatted(unfinished.size()));
      }
    }
  }

  /** Frames that follow their length, a big-endian number of four bytes. */
  final class Lengths implements WatchFrames {
    private final ByteBuffer length = ByteBuffer.allocate(Integer.BYTES);
    private byte @Nullable [] frame;
    private int filled;

    @Override
    public void take(ByteBuffer part, Consumer<byte[]> to) throws IOException {
      while (part.hasRemaining()) {
        byte[] current = frame;
        if (current == null) {
          length.put(part.get());
          if (length.hasRemaining()) {
            continue;
          }
          current = new byte[checked(length.getInt(0))];
          length.clear();
          frame = current;
          filled = 0;
        }
        int size = Math.min(part.remaining(), current.length - filled);
        part.get(current, filled, size);
        filled += size;
        if (filled == current.length) {
          to.accept(current);
          frame = null;
        }
      }
    }

    private static int checked(int length) throws IOException {
      if (length < 0 || length > LONGEST_BYTES) {
        throw new IOException("the watch announced an event of %d bytes".formatted(length));
      }
      return length;
    }
  }
}
