package io.berth.operator.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.berth.operator.api.FrontEnd.Reply;
import io.berth.operator.api.FrontEnd.Speaks;
import io.berth.operator.api.ServiceCalls.Trust;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Response bodies of sizes around the limits of buffers, in one piece and in many. */
class BodySizesTest {
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final int WHOLE = Integer.MAX_VALUE;
  private static final int LONGEST = Connections.Bounds.API_SERVER.longestBody();

  private static final int LONGEST_OF_EXTENDERS = HttpServiceCalls.LONGEST_ANSWER;

  @TempDir private Path folder;

  static Stream<Arguments> sizes() {
    return Stream.of(Speaks.HTTP_1, Speaks.HTTP_2_ALONE, Speaks.HTTP_1_IN_THE_CLEAR)
        .flatMap(
            protocol ->
                IntStream.of(0, 1, 2, 8_191, 8_192, 8_193, 30_690, 1 << 20)
                    .boxed()
                    .flatMap(
                        size ->
                            IntStream.of(WHOLE, 1_000, 8_192)
                                .mapToObj(piece -> Arguments.of(protocol, size, piece))));
  }

  private Answer answer(Speaks protocol, int bytes, int pieceBytes) throws Exception {
    Reply reply = Reply.of(200, text(bytes)).inPieces(pieceBytes);
    try (FrontEnd server = new FrontEnd(protocol, asked -> reply);
        HttpApiCalls api = calls(server)) {
      CompletableFuture<Answer> answered = new CompletableFuture<>();
      api.get("/api/v1/x", answered::complete);
      return answered.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    }
  }

  /** Returns the answer that the client for extenders gets. */
  private Answer answerOfAnExtender(Speaks protocol, int bytes, int pieceBytes) throws Exception {
    Reply reply = Reply.of(200, text(bytes)).inPieces(pieceBytes);
    try (FrontEnd server = new FrontEnd(protocol, asked -> reply)) {
      Path authority = folder.resolve("ca.crt");
      server.writeAuthority(authority);
      Trust trust = new Trust(false, "", authority.toString(), null, null, null, null, null, null);
      URI uri = URI.create(server.url());
      try (ServiceCalls calls = HttpServiceCalls.to(uri, trust, new ServiceFiles(folder))) {
        return calls
            .post(uri, JsonNodeFactory.instance.objectNode(), LIMIT, () -> true)
            .get(LIMIT.toSeconds(), TimeUnit.SECONDS);
      }
    }
  }

  private HttpApiCalls calls(FrontEnd server) throws Exception {
    Path authority = folder.resolve("ca.crt");
    server.writeAuthority(authority);
    Config config =
        new ConfigBuilder(Config.empty())
            .withMasterUrl(server.url())
            .withCaCertFile(authority.toString())
            .build();
    return new HttpApiCalls(ClusterAccess.of(config), LIMIT);
  }

  /** A JSON string of this many bytes; no JSON if there are fewer than two. */
  private static String text(int bytes) {
    if (bytes < 2) {
      return "1".repeat(bytes);
    }
    StringBuilder text = new StringBuilder(bytes).append('"');
    for (int i = 0; i < bytes - 2; i++) {
      text.append((char) ('a' + i % 26));
    }
    return text.append('"').toString();
  }

  @ParameterizedTest
  @MethodSource("sizes")
  void aBody_isReadCompletely(Speaks protocol, int bytes, int pieceBytes) throws Exception {
    Answer answer = answer(protocol, bytes, pieceBytes);

    assertThat(answer.code()).as(answer.message()).isEqualTo(200);
    if (bytes >= 2) {
      String sent = text(bytes);
      assertThat(answer.json().textValue()).isEqualTo(sent.substring(1, bytes - 1));
    }
  }

  @ParameterizedTest
  @MethodSource("sizes")
  void aBodyOfAnExtender_isReadCompletely(Speaks protocol, int bytes, int pieceBytes)
      throws Exception {
    Answer answer = answerOfAnExtender(protocol, bytes, pieceBytes);

    assertThat(answer.code()).as(answer.message()).isEqualTo(200);
    if (bytes >= 2) {
      String sent = text(bytes);
      assertThat(answer.json().textValue()).isEqualTo(sent.substring(1, bytes - 1));
    }
  }

  @Test
  void aBodyOfAnExtender_mayBeLongerThanOneOfTheApiServer_andHasALimitToo() throws Exception {
    Answer atTheLimit = answerOfAnExtender(Speaks.HTTP_1, LONGEST_OF_EXTENDERS, WHOLE);
    Answer above = answerOfAnExtender(Speaks.HTTP_1, LONGEST_OF_EXTENDERS + 1, WHOLE);

    assertThat(LONGEST_OF_EXTENDERS).isGreaterThan(LONGEST);
    assertThat(atTheLimit.code()).as(atTheLimit.message()).isEqualTo(200);
    assertThat(above.code()).isZero();
    assertThat(above.message()).contains("longer than " + LONGEST_OF_EXTENDERS + " bytes");
  }

  @Test
  void aBodyAtTheLimit_isReadCompletely() throws Exception {
    Answer answer = answer(Speaks.HTTP_2_ALONE, LONGEST, WHOLE);

    assertThat(answer.code()).as(answer.message()).isEqualTo(200);
    assertThat(answer.json().textValue()).hasSize(LONGEST - 2);
  }

  @Test
  void aBodyAboveTheLimit_isAnsweredAtOnce_withTheReason() throws Exception {
    long began = System.nanoTime();

    Answer answer = answer(Speaks.HTTP_1, LONGEST + 1, WHOLE);

    assertThat(answer.code()).isZero();
    assertThat(answer.message()).contains("longer than 16777216 bytes");
    assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(LIMIT);
  }
}
