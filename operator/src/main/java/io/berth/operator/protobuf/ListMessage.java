package io.berth.operator.protobuf;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The protobuf encoding of a list, such as a PodList.
 *
 * @param resourceVersion the version of the list; empty if it has none
 * @param continuation the token for the next page; empty if there is none
 * @param items the objects, without envelopes
 */
public record ListMessage(String resourceVersion, String continuation, List<Bytes> items) {
  private static final int METADATA = 1;
  private static final int ITEMS = 2;
  // meta.v1.ListMeta
  private static final int META_RESOURCE_VERSION = 2;
  private static final int META_CONTINUE = 3;

  /**
   * Reads a list in its envelope.
   *
   * @throws IOException if this is not a list in its envelope
   */
  public static ListMessage readSealed(byte[] sealed) throws IOException {
    MessageReader in = MessageReader.of(Envelope.open(Bytes.of(sealed)));
    ListMessage metadata = new ListMessage("", "", List.of());
    List<Bytes> items = new ArrayList<>();
    while (in.next()) {
      switch (in.field()) {
        case METADATA -> metadata = in.message(ListMessage::metadata);
        case ITEMS -> items.add(in.embedded());
        default -> in.skip();
      }
    }
    return new ListMessage(metadata.resourceVersion, metadata.continuation, items);
  }

  private static ListMessage metadata(MessageReader in) throws IOException {
    String version = "";
    String continuation = "";
    while (in.next()) {
      switch (in.field()) {
        case META_RESOURCE_VERSION -> version = in.text();
        case META_CONTINUE -> continuation = in.text();
        default -> in.skip();
      }
    }
    return new ListMessage(version, continuation, List.of());
  }
}
