package io.berth.operator.recording;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Writes and reads the values of one type.
 *
 * <p>A value is never null, except where a component of a record may be null.
 */
interface ValueCodec {
  void write(Object value, BinaryOutput out) throws IOException;

  Object read(BinaryInput in) throws IOException;

  /**
   * Returns the value of a component that a recording does not have, because an earlier version
   * wrote it; null if there is none.
   */
  default @Nullable Object absent() {
    return null;
  }
}
