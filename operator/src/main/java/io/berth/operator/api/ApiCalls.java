package io.berth.operator.api;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.operator.protobuf.BindingMessage;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * JSON requests to the API server, asynchronous and without retries: components that send thousands
 * of them have their own policy for a 429 or a lost response. Each request is answered once.
 */
public interface ApiCalls extends Timing {
  /** The content type of JSON merge patches. */
  String MERGE_PATCH = "application/merge-patch+json";

  /**
   * Returns the same calls, each sent only while the condition holds. The condition is evaluated
   * right before a request is written, after any wait for a connection. If it does not hold, the
   * request is not sent, and its answer returns true from {@link Answer#wasNotSent}.
   */
  ApiCalls onlyWhile(BooleanSupplier condition);

  /** Creates an object; {@code path} starts with a slash. */
  void post(String path, JsonNode body, Consumer<Answer> then);

  /**
   * Binds a pod to a node. The answer is protobuf if the server supports it.
   *
   * @param path the path of the pod's Bindings, which starts with a slash
   * @param binding the body, from {@link BindingMessage}
   * @param then receives the answer on the event loop: it must not block. A Binding that it sends
   *     is written together with those that follow from the other answers that have arrived
   */
  void bind(String path, byte[] binding, Consumer<Answer> then);

  /** Reads an object; {@code path} starts with a slash. */
  void get(String path, Consumer<Answer> then);

  /** Changes an object with a patch of the given content type. */
  void patch(String path, String contentType, JsonNode patch, Consumer<Answer> then);

  /** Deletes an object, with DeleteOptions as the body. */
  void delete(String path, JsonNode options, Consumer<Answer> then);
}
