package io.berth.demo.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.demo.cluster.RealApiServer;
import io.berth.demo.ground.OnRealApiServer;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A comparison of the recorded responses with those of a real API server. */
@OnRealApiServer
class RealAnswersTest {
  private static RealApiServer server;

  @BeforeAll
  static void open() throws IOException {
    server = RealApiServer.open();
    var account =
        new ServiceAccountBuilder()
            .withNewMetadata()
            .withNamespace("default")
            .withName("default")
            .endMetadata()
            .build();
    if (server.admin().resource(account).get() == null) {
      server.admin().resource(account).create();
    }
  }

  @AfterAll
  static void close() throws IOException {
    server.close();
  }

  static List<RecordedAnswer> answers() throws IOException {
    return RecordedAnswer.all();
  }

  @ParameterizedTest
  @MethodSource("answers")
  void answersAreThoseRecorded(RecordedAnswer answer) {
    assertThat(answer.ofPod(server.admin())).containsExactlyElementsOf(answer.pod());
    assertThat(answer.ofTemplate(server.admin())).containsExactlyElementsOf(answer.template());
  }
}
