package io.berth.sandbox.protobuf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.sandbox.failure.ApiException;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Decoding of protobuf bodies as encoded by Go clients, field by field. */
class ProtobufBodiesTest {

  /** A builder of protobuf messages. */
  private static final class Message {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    Message number(int field, long value) {
      varint((long) field << 3);
      varint(value);
      return this;
    }

    Message text(int field, String value) {
      return bytes(field, value.getBytes(StandardCharsets.UTF_8));
    }

    Message message(int field, Message value) {
      return bytes(field, value.out.toByteArray());
    }

    Message bytes(int field, byte[] value) {
      varint((long) field << 3 | 2);
      varint(value.length);
      out.writeBytes(value);
      return this;
    }

    Message fixed(int field, double value) {
      varint((long) field << 3 | 1);
      out.writeBytes(
          ByteBuffer.allocate(Double.BYTES)
              .order(ByteOrder.LITTLE_ENDIAN)
              .putDouble(value)
              .array());
      return this;
    }

    private void varint(long value) {
      long rest = value;
      while ((rest & ~0x7FL) != 0) {
        out.write((int) ((rest & 0x7F) | 0x80));
        rest >>>= 7;
      }
      out.write((int) rest);
    }
  }

  private static byte[] body(String apiVersion, String kind, Message object) {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    body.writeBytes(new byte[] {'k', '8', 's', 0});
    body.writeBytes(
        new Message()
            .message(1, new Message().text(1, apiVersion).text(2, kind))
            .message(2, object)
            .text(3, "")
            .text(4, "")
            .out
            .toByteArray());
    return body.toByteArray();
  }

  private static Message named(String name) {
    return new Message().text(1, name).text(2, "").message(8, new Message());
  }

  @Test
  void decode_leavesOutWhatGoLeavesOut() {
    byte[] body =
        body(
            "v1",
            "ConfigMap",
            new Message()
                .message(1, named("cm").message(11, new Message().text(1, "k").text(2, "v")))
                .message(2, new Message().text(1, "a").text(2, ""))
                .message(3, new Message().text(1, "b").bytes(2, new byte[] {1, 2})));

    assertThat(ProtobufBodies.decode(body))
        .hasToString(
            """
            {"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"cm","labels":{"k":"v"}},\
            "data":{"a":""},"binaryData":{"b":"AQI="}}\
            """);
  }

  @Test
  void decode_writesSpecialTypesAsJsonDoes() {
    Message container =
        new Message()
            .text(1, "c")
            .message(
                8,
                new Message()
                    .message(
                        2, new Message().text(1, "cpu").message(2, new Message().text(1, "1500m"))))
            .message(
                10,
                new Message()
                    .message(
                        1,
                        new Message()
                            .message(
                                2,
                                new Message()
                                    .text(1, "/ok")
                                    .message(
                                        2, new Message().number(1, 1).number(2, 0).text(3, "web"))))
                    .number(2, 0));
    Message spec =
        new Message()
            .message(
                1, new Message().text(1, "v").message(2, new Message().message(2, new Message())))
            .message(2, container)
            .number(25, -5);
    Message metadata =
        named("p")
            .message(9, new Message().number(1, 1_700_000_000).number(2, 0))
            .message(17, new Message().message(7, new Message().text(1, "{\"f:spec\":{}}")));

    assertThat(
            ProtobufBodies.decode(
                body("v1", "Pod", new Message().message(1, metadata).message(2, spec))))
        .hasToString(
            """
            {"kind":"Pod","apiVersion":"v1","metadata":{"name":"p",\
            "deletionTimestamp":"2023-11-14T22:13:20Z",\
            "managedFields":[{"fieldsV1":{"f:spec":{}}}]},\
            "spec":{"volumes":[{"name":"v","emptyDir":{}}],"containers":[{"name":"c",\
            "resources":{"requests":{"cpu":"1500m"}},\
            "livenessProbe":{"httpGet":{"path":"/ok","port":"web"}}}],"priority":-5}}\
            """);
  }

  @Test
  void decode_writesTimesWithMicroseconds_andSkipsFieldsOfLaterVersions() {
    Message spec =
        new Message()
            .text(1, "me")
            .number(2, 15)
            .message(4, new Message().number(1, 1_700_000_000).number(2, 1_234_000))
            .text(1000, "later");

    assertThat(
            ProtobufBodies.decode(
                body(
                    "coordination.k8s.io/v1",
                    "Lease",
                    new Message().message(1, named("l")).message(2, spec))))
        .hasToString(
            """
            {"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"l"},\
            "spec":{"holderIdentity":"me","leaseDurationSeconds":15,\
            "renewTime":"2023-11-14T22:13:20.001234Z"}}\
            """);
  }

  @Test
  void decode_readsDeleteOptionsOfEveryGroup() {
    assertThat(
            ProtobufBodies.decode(
                body("apps/v1", "DeleteOptions", new Message().number(1, 0).text(4, "Orphan"))))
        .hasToString(
            """
            {"kind":"DeleteOptions","apiVersion":"apps/v1","gracePeriodSeconds":0,\
            "propagationPolicy":"Orphan"}\
            """);
  }

  @Test
  void decode_writesTheAlternativesOfSchemasAsJsonDoes() {
    Message count =
        new Message()
            .text(5, "integer")
            .fixed(11, 1)
            .fixed(9, 2.5)
            .message(8, new Message().text(1, "2"));
    Message list =
        new Message()
            .text(5, "array")
            .message(24, new Message().message(1, new Message().text(5, "string")));
    Message labels =
        new Message()
            .text(5, "object")
            .message(30, new Message().number(1, 1).message(2, new Message().text(5, "string")));
    Message open = new Message().message(30, new Message().number(1, 0)).number(38, 1);
    Message schema = new Message().text(5, "object");
    schema.message(29, new Message().text(1, "count").message(2, count));
    schema.message(29, new Message().text(1, "labels").message(2, labels));
    schema.message(29, new Message().text(1, "list").message(2, list));
    schema.message(29, new Message().text(1, "open").message(2, open));
    Message version =
        new Message()
            .text(1, "v1")
            .number(2, 1)
            .number(3, 1)
            .message(4, new Message().message(1, schema));

    assertThat(
            ProtobufBodies.decode(
                    body(
                        "apiextensions.k8s.io/v1",
                        "CustomResourceDefinition",
                        new Message()
                            .message(2, new Message().text(1, "a.io").message(7, version))))
                .at("/spec/versions/0/schema/openAPIV3Schema/properties"))
        .hasToString(
            """
            {"count":{"type":"integer","minimum":1,"maximum":2.5,"default":2},\
            "labels":{"type":"object","additionalProperties":{"type":"string"}},\
            "list":{"type":"array","items":{"type":"string"}},\
            "open":{"additionalProperties":false,"x-kubernetes-preserve-unknown-fields":true}}\
            """);
  }

  @Test
  void decode_refusesWhatItCannotRead() {
    assertThatThrownBy(() -> ProtobufBodies.decode("{}".getBytes(StandardCharsets.UTF_8)))
        .isInstanceOf(ApiException.class)
        .hasMessageContaining("does not begin with k8s");
    byte[] cut = body("v1", "ConfigMap", new Message().message(1, named("cm")));
    cut[cut.length - 5] = 127;
    assertThatThrownBy(() -> ProtobufBodies.decode(cut)).isInstanceOf(ApiException.class);
    assertThatThrownBy(() -> ProtobufBodies.decode(body("a.io/v1", "Widget", new Message())))
        .isInstanceOf(ApiException.class)
        .hasMessageContaining("send them as application/json");
  }
}
