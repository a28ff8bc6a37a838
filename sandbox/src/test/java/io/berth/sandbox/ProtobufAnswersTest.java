package io.berth.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.sandbox.protobuf.ProtobufBodies;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Responses for clients that prefer protobuf. */
class ProtobufAnswersTest {
  private static final String PREFERRED = ProtobufBodies.MEDIA_TYPE + ",application/json";
  private static final String PATH = "/api/v1/namespaces/default/configmaps";

  private static Sandbox sandbox;
  private static TestClient admin;

  @BeforeAll
  static void start() {
    sandbox = Sandbox.start(SandboxOptions.defaults());
    admin = new TestClient(sandbox);
    admin.post(PATH, "{\"metadata\":{\"name\":\"a\"},\"data\":{\"key\":\"value\"}}");
  }

  @AfterAll
  static void stop() {
    sandbox.close();
  }

  private static String contentType(TestClient.Reply reply) {
    return reply.response().headers().firstValue("Content-Type").orElse("");
  }

  @Test
  void anObject_isEncoded() {
    TestClient.Reply reply = admin.get(PATH + "/a", PREFERRED);

    assertThat(reply.code()).isEqualTo(200);
    assertThat(contentType(reply)).isEqualTo(ProtobufBodies.MEDIA_TYPE);
    assertThat(ProtobufBodies.decode(reply.response().body()))
        .isEqualTo(admin.get(PATH + "/a").body());
  }

  @Test
  void anError_isEncoded() {
    TestClient.Reply reply = admin.get(PATH + "/missing", PREFERRED);

    assertThat(reply.code()).isEqualTo(404);
    assertThat(ProtobufBodies.decode(reply.response().body()).path("message").asText())
        .isEqualTo("configmaps \"missing\" not found");
  }

  @Test
  void aListAndAWatch_areEncoded() {
    TestClient.Reply list = admin.get(PATH, PREFERRED);
    TestClient.Reply watch = admin.get(PATH + "?watch=true&timeoutSeconds=1", PREFERRED);

    assertThat(contentType(list)).isEqualTo(ProtobufBodies.MEDIA_TYPE);
    assertThat(list.body().asText()).contains("ConfigMapList", "value");
    assertThat(contentType(watch)).isEqualTo(ProtobufBodies.MEDIA_TYPE + ";stream=watch");
    ByteBuffer events = ByteBuffer.wrap(watch.response().body());
    while (events.hasRemaining()) {
      int length = events.getInt();
      assertThat(length).isPositive();
      events.position(events.position() + length);
    }
    assertThat(watch.body().asText()).contains("ADDED", "value");
  }

  @Test
  void customResources_areJson() {
    String path = "/apis/example.com/v1/as";
    admin.post(
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        """
        {"metadata":{"name":"as.example.com"},"spec":{"group":"example.com","scope":"Cluster",
         "names":{"plural":"as","singular":"a","kind":"A","listKind":"AList"},
         "versions":[{"name":"v1","served":true,"storage":true,
          "schema":{"openAPIV3Schema":{"type":"object"}}}]}}
        """);

    assertThat(contentType(admin.get(path, PREFERRED))).isEqualTo("application/json");
    assertThat(admin.get(path, ProtobufBodies.MEDIA_TYPE).code()).isEqualTo(406);
  }
}
