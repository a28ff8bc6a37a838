package io.berth.operator.recording;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Recordings that are kept, by {@code make keep-recording}: the engine decides as it did then. If
 * decisions change on purpose, make them again from the kept ones.
 */
class KeptRecordingsTest {
  private static final Path KEPT = Path.of("src/test/resources/recordings");

  static List<Path> recordings() throws IOException {
    try (Stream<Path> kept = Files.list(KEPT)) {
      return kept.filter(Files::isDirectory).sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("recordings")
  void decisions_areTheSame(Path recording) throws IOException {
    ReplayReport report =
        new Replay(Map.of()).run(RecordingFiles.in(recording), UnaryOperator.identity());

    assertThat(report.difference().map(Replay.Difference::text)).isEmpty();
    assertThat(report.decisions()).isPositive();
  }
}
