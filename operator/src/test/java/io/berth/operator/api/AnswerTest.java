package io.berth.operator.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.protobuf.ProtobufObjects;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** The message of a response, in each form in which a server can write it. */
class AnswerTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  private static final String MESSAGE = "pod web is already assigned to node \"node-1\"";

  private static Answer conflict(byte[] body) {
    return new Answer(409, Duration.ZERO, body);
  }

  private static ObjectNode status(String message) {
    ObjectNode status = JSON.createObjectNode();
    return status
        .put("kind", "Status")
        .put("apiVersion", "v1")
        .put("status", "Failure")
        .put("message", message)
        .put("code", 409);
  }

  @Test
  void message_isThatOfTheStatus_inJsonAndInProtobuf() {
    byte[] json = status(MESSAGE).toString().getBytes(StandardCharsets.UTF_8);
    byte[] protobuf = ProtobufObjects.encode(status(MESSAGE));

    assertThat(conflict(json).message()).isEqualTo(MESSAGE);
    assertThat(conflict(protobuf).message()).isEqualTo(MESSAGE);
  }

  @Test
  void messageOfProtobufWithoutOne_isTheCode() {
    byte[] protobuf = ProtobufObjects.encode(status(MESSAGE));
    byte[] cut = Arrays.copyOf(protobuf, protobuf.length - 20);

    assertThat(conflict(ProtobufObjects.encode(status(""))).message()).isEqualTo("HTTP 409");
    assertThat(conflict(cut).message()).isEqualTo("HTTP 409");
  }

  @Test
  void aFailure_isReportedWithItsRootCause_once() {
    Exception root = new CertificateException("unable to find a valid certification path");
    Exception tls = new IOException("Failed to create SSL connection", new IOException(root));

    assertThat(Answer.none(tls).message())
        .isEqualTo(
            "no answer: Failed to create SSL connection: unable to find a valid certification"
                + " path");
    assertThat(Answer.none(new IOException("refused", new IOException("refused"))).message())
        .isEqualTo("no answer: refused");
  }

  @Test
  void messageOfAProxy_isItsText() {
    byte[] text = "upstream connect error\n".getBytes(StandardCharsets.UTF_8);

    assertThat(conflict(text).message()).isEqualTo("HTTP 409: upstream connect error");
    assertThat(conflict(new byte[0]).message()).isEqualTo("HTTP 409");
  }
}
