package io.berth.sandbox.protobuf;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import java.io.IOException;

/**
 * The protobuf message that wraps an object and names its kind.
 *
 * @param raw the object as an encoded message
 */
@SuppressWarnings("ArrayRecordComponent") // the bytes are read once and never compared
record Envelope(String apiVersion, String kind, byte[] raw) {
  /** The bytes before every envelope. */
  static final byte[] MAGIC = {'k', '8', 's', 0};

  static Envelope read(CodedInputStream in) throws IOException {
    Envelope envelope = new Envelope("", "", new byte[0]);
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      switch (WireFormat.getTagFieldNumber(tag)) {
        case 1 -> envelope = envelope.withType(CodedInputStream.newInstance(in.readByteArray()));
        case 2 -> envelope = new Envelope(envelope.apiVersion, envelope.kind, in.readByteArray());
        default -> in.skipField(tag);
      }
    }
    return envelope;
  }

  private Envelope withType(CodedInputStream in) throws IOException {
    String version = apiVersion;
    String name = kind;
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      switch (WireFormat.getTagFieldNumber(tag)) {
        case 1 -> version = in.readString();
        case 2 -> name = in.readString();
        default -> in.skipField(tag);
      }
    }
    return new Envelope(version, name, raw);
  }
}
