package io.berth.operator.feed;

import io.berth.operator.protobuf.Envelope;
import io.berth.operator.protobuf.PodMessage;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads the responses of the API server for one resource, in the format that the server chose. Pods
 * are requested as protobuf, because most of what an API server sends are pods; all other
 * resources, as JSON. A server or a proxy that does not know protobuf sends JSON.
 */
final class KindReader<T extends HasMetadata> {
  private static final String JSON = "application/json";

  private final ObjectFormat<T> json;
  private final Optional<ObjectFormat<T>> protobuf;

  KindReader(Class<T> type) {
    this.json = new JsonFormat<>(type);
    this.protobuf =
        type == Pod.class
            ? Optional.of(new ProtobufFormat<>(pod -> type.cast(PodMessage.read(pod))))
            : Optional.empty();
  }

  /** The value of the Accept header of requests. */
  String accept() {
    return protobuf.isPresent() ? Envelope.MEDIA_TYPE + "," + JSON : JSON;
  }

  /**
   * Returns the format of a response.
   *
   * @param contentType the Content-Type header of the response; null if there is none
   */
  ObjectFormat<T> format(@Nullable String contentType) {
    boolean asProtobuf = contentType != null && contentType.startsWith(Envelope.MEDIA_TYPE);
    return protobuf.filter(format -> asProtobuf).orElse(json);
  }

  /** Returns the message of an error response: that of its Status, or the text of the body. */
  String refusal(int code, @Nullable String contentType, byte[] body) {
    try {
      String message = format(contentType).message(body);
      if (!message.isEmpty()) {
        return message;
      }
    } catch (IOException e) {
      // not a Status: a proxy in between may send its own error
    }
    String text = new String(body, StandardCharsets.UTF_8).strip();
    return "HTTP "
        + code
        + (text.isEmpty() ? "" : ": " + text.substring(0, Math.min(200, text.length())));
  }
}
