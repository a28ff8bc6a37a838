package io.berth.sandbox.openapi;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.protobuf.CodedOutputStream;
import io.berth.sandbox.store.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * The OpenAPI v2 document, without any definitions: all kinds are described in v3. kubectl reads v2
 * for kinds that it does not find in v3, such as lists and unknown kinds, and does not validate
 * what v2 does not define.
 */
public final class EmptyDocument {
  /** The media type that kubectl requests. */
  public static final String PROTOBUF =
      "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

  private static final String VERSION = "2.0";
  private static final int VERSION_FIELD = 1;
  private static final int INFO_FIELD = 2;
  private static final int PATHS_FIELD = 8;
  private static final int TITLE_FIELD = 1;
  private static final int RELEASE_FIELD = 2;

  private EmptyDocument() {}

  /** Returns the document in JSON. */
  public static ObjectNode json(String title, String release) {
    ObjectNode document = Json.object().put("swagger", VERSION);
    document.putObject("info").put("title", title).put("version", release);
    document.putObject("paths");
    document.putObject("definitions");
    return document;
  }

  /** Returns the document as a message {@code openapi.v2.Document}. */
  public static byte[] protobuf(String title, String release) {
    byte[] info =
        message(
            out -> {
              out.writeString(TITLE_FIELD, title);
              out.writeString(RELEASE_FIELD, release);
            });
    return message(
        out -> {
          out.writeString(VERSION_FIELD, VERSION);
          out.writeByteArray(INFO_FIELD, info);
          out.writeByteArray(PATHS_FIELD, "".getBytes(StandardCharsets.UTF_8));
        });
  }

  private interface Fields {
    void writeTo(CodedOutputStream out) throws IOException;
  }

  private static byte[] message(Fields fields) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    try {
      fields.writeTo(out);
      out.flush();
    } catch (IOException e) {
      throw new UncheckedIOException("memory can always be written", e);
    }
    return bytes.toByteArray();
  }
}
