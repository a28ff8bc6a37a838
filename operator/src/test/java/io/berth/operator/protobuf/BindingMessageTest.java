package io.berth.operator.protobuf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.sandbox.protobuf.ProtobufBodies;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Bindings in protobuf, read with a decoder that is generated from the Go types. */
class BindingMessageTest {

  @Test
  void binding_hasEveryField() throws IOException {
    byte[] body =
        BindingMessage.encode(
            "team",
            "web-ä",
            "uid-1",
            Map.of("topology", "rack-1"),
            new TreeMap<>(Map.of("gpu", "0,1", "note", "x".repeat(100_000))),
            "node-1");

    assertThat(ProtobufBodies.decode(body))
        .isEqualTo(
            new ObjectMapper()
                .readTree(
                    """
                    {"kind": "Binding", "apiVersion": "v1",
                     "metadata": {"name": "web-ä", "namespace": "team", "uid": "uid-1",
                                  "labels": {"topology": "rack-1"},
                                  "annotations": {"gpu": "0,1", "note": "%s"}},
                     "target": {"kind": "Node", "name": "node-1", "apiVersion": "v1"}}
                    """
                        .formatted("x".repeat(100_000))));
    assertThat(BindingMessage.nodeName(body)).isEqualTo("node-1");
  }

  @Test
  void bodyWithoutATarget_isAnError() {
    assertThatThrownBy(() -> BindingMessage.nodeName(new byte[] {'k', '8', 's', 0}))
        .isInstanceOf(IOException.class);
  }

  @Test
  void otherBytes_areNoBinding() {
    assertThatThrownBy(() -> BindingMessage.nodeName(new byte[0])).isInstanceOf(IOException.class);
    assertThatThrownBy(
            () -> BindingMessage.nodeName("{\"target\": {}}".getBytes(StandardCharsets.UTF_8)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("not a protobuf message");
  }
}
