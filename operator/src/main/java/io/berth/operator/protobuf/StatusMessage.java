package io.berth.operator.protobuf;

import java.io.IOException;

/**
 * The protobuf encoding of a Status (meta/v1), the body of an error response.
 *
 * @param code the HTTP status; 0 if it is not given
 * @param message the reason for users; empty if it is not given
 */
public record StatusMessage(int code, String message) {
  private static final int MESSAGE = 3;
  private static final int CODE = 6;

  /** Returns whether a response body is protobuf, and not JSON or text. */
  public static boolean isSealed(byte[] body) {
    return Envelope.begins(Bytes.of(body));
  }

  /**
   * Reads a Status in its envelope.
   *
   * @throws IOException if this is not a Status in its envelope
   */
  public static StatusMessage readSealed(byte[] sealed) throws IOException {
    return read(Envelope.open(Bytes.of(sealed)));
  }

  /**
   * Reads a Status.
   *
   * @throws IOException if this is not a Status
   */
  public static StatusMessage read(Bytes status) throws IOException {
    MessageReader in = MessageReader.of(status);
    int code = 0;
    String message = "";
    while (in.next()) {
      switch (in.field()) {
        case MESSAGE -> message = in.text();
        case CODE -> code = in.int32();
        default -> in.skip();
      }
    }
    return new StatusMessage(code, message);
  }
}
