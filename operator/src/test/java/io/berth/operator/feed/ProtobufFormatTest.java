package io.berth.operator.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonIncludeProperties;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.protobuf.CodedOutputStream;
import io.berth.operator.protobuf.Envelope;
import io.berth.sandbox.protobuf.ProtobufObjects;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Pods in protobuf, as written by an encoder that is generated from the Go types, are the same as
 * pods in JSON.
 */
class ProtobufFormatTest {
  private static final ObjectMapper TREES = new ObjectMapper();

  private final KindReader<Pod> reader = new KindReader<>(Pod.class);
  private final ObjectFormat<Pod> format = reader.format(Envelope.MEDIA_TYPE + ";stream=watch");

  private static ObjectNode tree(String json) throws IOException {
    return (ObjectNode) TREES.readTree(json);
  }

  private static Pod parsed(String json) throws IOException {
    return ObjectJson.of(Pod.class).readValue(json, Pod.class);
  }

  /** Returns the frame of an event, without its length. */
  private static byte[] frame(String type, ObjectNode object) {
    byte[] event = ProtobufObjects.event(type, object);
    return Arrays.copyOfRange(event, Integer.BYTES, event.length);
  }

  private static byte[] list(String version, String continuation, ObjectNode... items) {
    ObjectNode metadata =
        TREES.createObjectNode().put("resourceVersion", version).put("continue", continuation);
    return ProtobufObjects.list("v1", "PodList", metadata, "Pod", List.of(items));
  }

  @Test
  void aPod_isTheSameAsInJson() throws IOException {
    ObjectFormat.Event<Pod> event = format.event(frame("ADDED", tree(SamplePod.JSON)));

    Pod pod = parsed(SamplePod.JSON);
    assertThat(event)
        .isInstanceOfSatisfying(
            ObjectFormat.Put.class,
            put -> assertThat(put.object()).usingRecursiveComparison().isEqualTo(pod));
    assertThat(event).isEqualTo(new ObjectFormat.Put<>(pod));
  }

  /** Fields without a value: Go writes zeros for most of them. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"metadata\": {\"name\": \"a\"}, \"spec\": {}, \"status\": {}}",
        """
        {"metadata": {"name": "a", "ownerReferences": [{"apiVersion": "", "kind": "", "name": "", "uid": ""}]},
         "spec": {"containers": [{"name": "", "resources": {}, "ports": [{"containerPort": 0}]}],
          "hostUsers": false, "priority": 0, "preemptionPolicy": "", "tolerations": [{}],
          "schedulingGroup": {}, "resources": {},
          "volumes": [{"name": "v", "rbd": {"monitors": [], "image": ""}}, {"name": "e", "ephemeral": {}}],
          "affinity": {"nodeAffinity": {}, "podAffinity": {}, "podAntiAffinity": {}}},
         "status": {"resources": {}, "containerStatuses": [{"name": "", "resources": {}}],
          "conditions": [{"type": "", "status": ""}]}}
        """
      })
  void whatIsZero_isTheSameAsInJson(String json) throws IOException {
    ObjectNode tree = tree(json).put("apiVersion", "v1").put("kind", "Pod");

    assertThat(format.event(frame("MODIFIED", tree)))
        .isEqualTo(new ObjectFormat.Put<>(parsed(json)));
  }

  /** Ensures that the comparison above covers every field that is read. */
  @Test
  void theSample_hasEveryFieldThatIsRead() throws IOException {
    Set<String> given = new TreeSet<>();
    collect(tree(SamplePod.JSON), given);

    given.add("none"); // of ephemeral volumes

    assertThat(ObjectJson.PARTS_OF_PODS.values())
        .allSatisfy(
            part ->
                assertThat(given)
                    .contains(part.getAnnotation(JsonIncludeProperties.class).value()));
  }

  private static void collect(JsonNode node, Set<String> names) {
    node.properties()
        .forEach(
            field -> {
              names.add(field.getKey());
              collect(field.getValue(), names);
            });
    if (node.isArray()) {
      node.forEach(each -> collect(each, names));
    }
  }

  @Test
  void otherEvents_areRead() throws IOException {
    ObjectNode mark =
        tree("{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"resourceVersion\":\"77\"}}");
    ObjectNode status =
        tree("{\"apiVersion\":\"v1\",\"kind\":\"Status\",\"code\":410,\"message\":\"too old\"}");

    assertThat(format.event(frame("DELETED", tree(SamplePod.JSON))))
        .isEqualTo(new ObjectFormat.Gone<>(parsed(SamplePod.JSON)));
    assertThat(format.event(frame("BOOKMARK", mark))).isEqualTo(new ObjectFormat.Bookmark<>("77"));
    assertThat(format.event(frame("ERROR", status)))
        .isEqualTo(new ObjectFormat.Failed<>(410, "too old"));
    assertThat(reader.refusal(410, Envelope.MEDIA_TYPE, ProtobufObjects.encode(status)))
        .isEqualTo("too old");
  }

  @Test
  void aPage_hasItsPodsAndItsPosition() throws IOException {
    ObjectFormat.Page<Pod> page = format.page(list("7", "next", tree(SamplePod.JSON)));

    assertThat(page.items()).containsExactly(parsed(SamplePod.JSON));
    assertThat(page.resourceVersion()).isEqualTo("7");
    assertThat(page.continuation()).isEqualTo("next");
    assertThat(page.unreadable()).isEmpty();
  }

  @Test
  void aPodWithoutMetadata_isUnreadableAlone() throws IOException {
    byte[] envelope = field(1, new byte[0]);
    byte[] version = field(1, field(2, "7".getBytes(StandardCharsets.UTF_8)));
    byte[] list = sealed(concat(envelope, field(2, concat(version, field(2, new byte[0])))));
    byte[] event =
        concat(
            field(1, "ADDED".getBytes(StandardCharsets.UTF_8)),
            field(2, field(1, sealed(field(2, new byte[0])))));

    assertThat(format.page(list).unnamed()).containsExactly("the object has no metadata");
    assertThatThrownBy(() -> format.event(event)).isInstanceOf(IllegalArgumentException.class);
  }

  private static byte[] field(int number, byte[] value) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    out.writeByteArray(number, value);
    out.flush();
    return bytes.toByteArray();
  }

  private static byte[] sealed(byte[] unknown) {
    return concat(new byte[] {'k', '8', 's', 0}, unknown);
  }

  private static byte[] concat(byte[] first, byte[] second) {
    byte[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }

  @Test
  void otherBytes_areAnError() throws IOException {
    byte[] frame = frame("ADDED", tree(SamplePod.JSON));

    assertThatThrownBy(() -> format.page(list("", ""))).hasMessageContaining("not a list");
    assertThatThrownBy(() -> format.page(new byte[] {1, 2})).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> format.event(frame("RENAMED", tree(SamplePod.JSON))))
        .hasMessageContaining("RENAMED");
    assertThatThrownBy(() -> format.event(Arrays.copyOf(frame, frame.length / 2)))
        .isInstanceOf(IOException.class);
  }

  @Test
  void aServerWithoutProtobuf_isReadAsJson() throws IOException {
    String event = "{\"type\":\"ADDED\",\"object\":" + tree(SamplePod.JSON) + "}";

    assertThat(reader.format("application/json").event(event.getBytes(StandardCharsets.UTF_8)))
        .isEqualTo(new ObjectFormat.Put<>(parsed(SamplePod.JSON)));
    assertThat(reader.format(null)).isInstanceOf(JsonFormat.class);
  }

  @Test
  void errorsThatAreNoStatus_areShownAsText() {
    byte[] page = "<html>down</html>".getBytes(StandardCharsets.UTF_8);

    assertThat(reader.refusal(502, "text/html", page)).isEqualTo("HTTP 502: <html>down</html>");
    assertThat(reader.refusal(502, Envelope.MEDIA_TYPE, new byte[0])).isEqualTo("HTTP 502");
  }
}
