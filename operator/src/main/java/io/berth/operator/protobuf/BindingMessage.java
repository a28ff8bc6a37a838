package io.berth.operator.protobuf;

import com.google.protobuf.CodedOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * The protobuf encoding of a Binding (core/v1), as kube-scheduler sends it. API servers decode it
 * in a fraction of the time that JSON takes.
 */
public final class BindingMessage {

  // v1.Binding
  private static final int BINDING_METADATA = 1;
  private static final int BINDING_TARGET = 2;
  // v1.ObjectMeta
  private static final int META_NAME = 1;
  private static final int META_NAMESPACE = 3;
  private static final int META_UID = 5;
  private static final int META_LABELS = 11;
  private static final int META_ANNOTATIONS = 12;
  // v1.ObjectReference
  private static final int REFERENCE_KIND = 1;
  private static final int REFERENCE_NAME = 3;
  private static final int REFERENCE_API_VERSION = 5;
  // An entry of a map
  private static final int ENTRY_KEY = 1;
  private static final int ENTRY_VALUE = 2;

  private BindingMessage() {}

  /**
   * Returns the body of a request that binds a pod to a node.
   *
   * @param uid the UID of the pod, without which a pod of the same name could be bound
   * @param labels labels to set on the pod
   * @param annotations annotations to set on the pod
   */
  public static byte[] encode(
      String namespace,
      String name,
      String uid,
      Map<String, String> labels,
      Map<String, String> annotations,
      String nodeName) {
    byte[] metadata =
        Envelope.message(
            out -> {
              out.writeString(META_NAME, name);
              out.writeString(META_NAMESPACE, namespace);
              out.writeString(META_UID, uid);
              writeMap(out, META_LABELS, labels);
              writeMap(out, META_ANNOTATIONS, annotations);
            });
    byte[] target =
        Envelope.message(
            out -> {
              out.writeString(REFERENCE_KIND, "Node");
              out.writeString(REFERENCE_NAME, nodeName);
              out.writeString(REFERENCE_API_VERSION, "v1");
            });
    byte[] binding =
        Envelope.message(
            out -> {
              out.writeByteArray(BINDING_METADATA, metadata);
              out.writeByteArray(BINDING_TARGET, target);
            });
    return Envelope.seal("v1", "Binding", binding);
  }

  /**
   * Returns the name of the node in a body.
   *
   * @throws IOException if the body is not a Binding
   */
  public static String nodeName(byte[] body) throws IOException {
    Bytes binding = Envelope.open(Bytes.of(body));
    return text(field(field(binding, BINDING_TARGET), REFERENCE_NAME));
  }

  private static void writeMap(CodedOutputStream out, int field, Map<String, String> map)
      throws IOException {
    for (Map.Entry<String, String> each : map.entrySet()) {
      out.writeByteArray(
          field,
          Envelope.message(
              entry -> {
                entry.writeString(ENTRY_KEY, each.getKey());
                entry.writeString(ENTRY_VALUE, each.getValue());
              }));
    }
  }

  private static Bytes field(Bytes message, int number) throws IOException {
    return MessageReader.find(message, number)
        .orElseThrow(() -> new IOException("the message has no field " + number));
  }

  private static String text(Bytes bytes) {
    return new String(bytes.array(), bytes.from(), bytes.length(), StandardCharsets.UTF_8);
  }
}
