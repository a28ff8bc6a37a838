package io.berth.operator.protobuf;

import com.google.protobuf.CodedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;

/**
 * The message around every object, {@code runtime.Unknown}, which names its kind. It follows four
 * bytes: {@code k8s} and zero.
 */
public final class Envelope {
  /** The media type of an object in its envelope. */
  public static final String MEDIA_TYPE = "application/vnd.kubernetes.protobuf";

  private static final byte[] MAGIC = {'k', '8', 's', 0};

  // runtime.Unknown and runtime.TypeMeta
  private static final int TYPE = 1;
  private static final int RAW = 2;
  private static final int TYPE_API_VERSION = 1;
  private static final int TYPE_KIND = 2;

  private Envelope() {}

  /** Writes the fields of a message. */
  @FunctionalInterface
  interface Fields {
    void writeTo(CodedOutputStream out) throws IOException;
  }

  /** Returns an object in its envelope. */
  static byte[] seal(String apiVersion, String kind, byte[] object) {
    byte[] type =
        message(
            out -> {
              out.writeString(TYPE_API_VERSION, apiVersion);
              out.writeString(TYPE_KIND, kind);
            });
    return message(
        out -> {
          out.writeRawBytes(MAGIC);
          out.writeByteArray(TYPE, type);
          out.writeByteArray(RAW, object);
        });
  }

  /**
   * Returns the object in an envelope.
   *
   * @throws IOException if there is no envelope
   */
  static Bytes open(Bytes sealed) throws IOException {
    if (!begins(sealed)) {
      throw new IOException("the body is not a protobuf message of Kubernetes");
    }
    Bytes unknown = sealed.part(MAGIC.length, sealed.length() - MAGIC.length);
    return MessageReader.find(unknown, RAW).orElse(unknown.part(0, 0));
  }

  /** Returns whether the bytes begin as an envelope does. No JSON text does. */
  static boolean begins(Bytes bytes) {
    int end = bytes.from() + MAGIC.length;
    return bytes.length() >= MAGIC.length
        && Arrays.equals(bytes.array(), bytes.from(), end, MAGIC, 0, MAGIC.length);
  }

  /** Returns the encoding of a message. */
  static byte[] message(Fields fields) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    CodedOutputStream out = CodedOutputStream.newInstance(bytes, 256);
    try {
      fields.writeTo(out);
      out.flush();
    } catch (IOException e) {
      throw new UncheckedIOException("writing to memory failed", e);
    }
    return bytes.toByteArray();
  }
}
