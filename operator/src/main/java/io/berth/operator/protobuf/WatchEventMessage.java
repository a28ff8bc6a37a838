package io.berth.operator.protobuf;

import java.io.IOException;
import java.util.Optional;

/**
 * The protobuf encoding of an event of a watch (meta/v1).
 *
 * @param type {@code ADDED}, {@code MODIFIED}, {@code DELETED}, {@code BOOKMARK}, or {@code ERROR}
 * @param object the object, without its envelope; empty if there is none
 */
public record WatchEventMessage(String type, Bytes object) {
  private static final int TYPE = 1;
  private static final int OBJECT = 2;
  private static final int RAW = 1;

  /**
   * Reads an event.
   *
   * @throws IOException if this is not an event
   */
  public static WatchEventMessage read(byte[] message) throws IOException {
    Bytes bytes = Bytes.of(message);
    MessageReader in = MessageReader.of(bytes);
    String type = "";
    Bytes object = bytes.part(0, 0);
    while (in.next()) {
      switch (in.field()) {
        case TYPE -> type = in.text();
        case OBJECT -> object = object(in.embedded());
        default -> in.skip();
      }
    }
    return new WatchEventMessage(type, object);
  }

  private static Bytes object(Bytes extension) throws IOException {
    Optional<Bytes> sealed = MessageReader.find(extension, RAW);
    return sealed.isPresent() ? Envelope.open(sealed.get()) : extension.part(0, 0);
  }
}
