package io.berth.operator.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.berth.operator.api.FrontEnd.Asked;
import io.berth.operator.api.FrontEnd.Reply;
import io.berth.operator.api.FrontEnd.Speaks;
import io.berth.operator.api.ServiceCalls.Trust;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls to services other than the API server, with their own trust settings. */
class HttpServiceCallsTest {
  private static final Duration LIMIT = Duration.ofSeconds(10);

  private static final String ANOTHER_AUTHORITY =
      """
      -----BEGIN CERTIFICATE-----
      MIIBeTCCAR+gAwIBAgIUIOn57Ry4+Sv5OSn1Z26bgfLJpj4wCgYIKoZIzj0EAwIw
      EjEQMA4GA1UEAwwHYW5vdGhlcjAeFw0yNjExMjYwNjUyNDdaFw0zNjExMjMwNjUy
      NDdaMBIxEDAOBgNVBAMMB2Fub3RoZXIwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC
      AATVI+22p6bV4fWcx9cuJUfcHNmaT8/Hacq5KVCcEUA1+TpDFde7lfE2ZUltnRdb
      2sT7WXH2Tg/fxpsQDw9Gi42Vo1MwUTAdBgNVHQ4EFgQUQFGGZd9njNayg9FxqSJ2
      8na/thYwHwYDVR0jBBgwFoAUQFGGZd9njNayg9FxqSJ28na/thYwDwYDVR0TAQH/
      BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiBPYzVZuekrpp4ZOld5r0QeT1Tl/Ztr
      sMLPkKZjoKVvlAIhAOMUi6F2gMnb0NTVb06KyHOd6h7vlRtAAUkl8CGgT3jB
      -----END CERTIFICATE-----
      """;

  @TempDir private Path files;
  private FrontEnd server;

  @BeforeEach
  void start() throws Exception {
    server = new FrontEnd(Speaks.HTTP_1, asked -> Reply.of(200, "{\"ok\":true}"));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static Trust authority(@Nullable String file, @Nullable String data) {
    return new Trust(false, "", file, data, null, null, null, null, null);
  }

  private Answer post(Trust trust) {
    try (ServiceCalls calls =
        HttpServiceCalls.to(URI.create(server.url()), trust, new ServiceFiles(files))) {
      return post(calls);
    }
  }

  private Answer postTo(URI uri) {
    try (ServiceCalls calls = HttpServiceCalls.to(uri, Trust.DEFAULT, new ServiceFiles(files))) {
      return calls.post(uri, JsonNodeFactory.instance.objectNode(), LIMIT, () -> true).join();
    }
  }

  private Answer post(ServiceCalls calls) {
    return calls
        .post(
            URI.create(server.url() + "filter"),
            JsonNodeFactory.instance.objectNode().put("a", 1),
            LIMIT,
            () -> true)
        .join();
  }

  private Path write(String name) throws IOException {
    return Files.writeString(files.resolve(name), server.files().get(name));
  }

  @Test
  void aServiceWhoseAuthorityIsNamed_isCalledWithoutBerthsCredentials() throws IOException {
    Answer answer = post(authority(write("ca.crt").toString(), null));

    assertThat(answer.code()).as(answer.message()).isEqualTo(200);
    Asked asked = server.asked().getFirst();
    assertThat(asked.method()).isEqualTo("POST");
    assertThat(asked.path()).isEqualTo("/filter");
    assertThat(asked.body()).isEqualTo("{\"a\":1}");
    assertThat(asked.authorization()).isEmpty();
    assertThat(server.shownCertificate()).isEmpty();
  }

  @Test
  void anAuthorityInTheSpec_isTrusted() {
    String pem = server.files().get("ca.crt");
    String data = Base64.getEncoder().encodeToString(pem.getBytes(StandardCharsets.US_ASCII));

    assertThat(post(authority(null, data)).code()).isEqualTo(200);
  }

  @Test
  void aServiceThatNobodyVouchesFor_isNotCalled_unlessItsCertificateIsNotChecked() {
    assertThat(post(Trust.DEFAULT).code()).isZero();
    assertThat(server.asked()).isEmpty();

    Answer unchecked = post(insecure());
    assertThat(unchecked.code()).isEqualTo(200);
  }

  @Test
  void aServiceThatWantsToKnowWhoCalls_isShownTheCertificate() throws IOException {
    Trust mutual =
        new Trust(
            false,
            "",
            write("ca.crt").toString(),
            null,
            write("tls.crt").toString(),
            null,
            write("tls.key").toString(),
            null,
            null);

    assertThat(post(mutual).code()).isEqualTo(200);
    assertThat(server.shownCertificate()).contains(server.certificate());
  }

  @Test
  void aSecret_givesTheAuthorityAndTheCertificate() throws IOException {
    Path secret = Files.createDirectory(files.resolve("gpu-share"));
    for (String name : List.of("ca.crt", "tls.crt", "tls.key")) {
      Files.writeString(secret.resolve(name), server.files().get(name));
    }
    Trust named = new Trust(false, "", null, null, null, null, null, null, "gpu-share");

    assertThat(post(named).code()).isEqualTo(200);
    assertThat(server.shownCertificate()).contains(server.certificate());
  }

  @Test
  void aFileThatChanges_isReadAgain() throws IOException {
    Path authority = write("ca.crt");
    String right = Files.readString(authority);
    Files.writeString(authority, ANOTHER_AUTHORITY);
    Trust trust = authority(authority.toString(), null);
    try (ServiceCalls calls =
        HttpServiceCalls.to(URI.create(server.url()), trust, new ServiceFiles(files))) {
      assertThat(post(calls).code()).isZero();

      Files.writeString(authority, right);

      await().untilAsserted(() -> assertThat(post(calls).code()).isEqualTo(200));
      Files.delete(authority);
      await()
          .during(Duration.ofMillis(1500))
          .untilAsserted(() -> assertThat(post(calls).code()).isEqualTo(200));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "2852039166", // 169.254.169.254 as one number
        "168.63.129.16",
        "100.100.100.200",
        "192.0.0.192",
        "[::ffff:168.63.129.16]",
        "[64:ff9b::a9fe:a9fe]",
        "[fd00:ec2::254]",
        "[fd20:ce::254]"
      })
  void anAddressOfAMetadataService_isNotCalled_whateverItsForm(String host) {
    Answer answer = postTo(URI.create("http://" + host + "/latest/meta-data"));

    assertThat(answer.code()).isZero();
    assertThat(answer.message()).contains("resolves to link-local addresses");
  }

  @Test
  void aUrlWithoutAValidHost_isNamedInTheAnswer() {
    URI underscore = URI.create("http://my_service/filter");

    Answer answer = postTo(underscore);

    assertThat(answer.code()).isZero();
    assertThat(answer.message()).contains(underscore + " names no valid host");
  }

  @Test
  void anAnswerWithoutEnd_isGivenUp() throws Exception {
    try (FrontEnd loud =
        new FrontEnd(Speaks.HTTP_1_IN_THE_CLEAR, asked -> Reply.of(200, "1".repeat(33 << 20)))) {
      Answer answer = postTo(URI.create(loud.url()));

      assertThat(answer.code()).isZero();
      assertThat(answer.timedOut()).isFalse();
    }
  }

  @Test
  void aCallThatMayNotBeSentAnyMore_isNotSent() {
    try (ServiceCalls calls =
        HttpServiceCalls.to(URI.create(server.url()), insecure(), new ServiceFiles(files))) {
      Answer answer =
          calls
              .post(
                  URI.create(server.url()),
                  JsonNodeFactory.instance.objectNode(),
                  LIMIT,
                  () -> false)
              .join();

      assertThat(answer.wasNotSent()).isTrue();
      assertThat(server.asked()).isEqualTo(List.of());
    }
  }

  private static Trust insecure() {
    return new Trust(true, "", null, null, null, null, null, null, null);
  }
}
