package io.berth.demo.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.operator.recording.RecordingFiles;
import io.berth.operator.recording.RenamedCopy;
import io.berth.operator.recording.Replay;
import io.berth.operator.recording.ReplayReport;
import java.io.IOException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A new engine that is given the recording of a simulation decides the same, bit for bit. */
class SimulationRecordingTest {
  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(longs = {3, 11})
  void replays_decideAsTheLeadersDid(long seed) throws IOException {
    Simulation.run(300, seed, new BitSet(), Optional.of(directory));
    List<Path> files = RecordingFiles.in(directory);

    ReplayReport report = new Replay(Map.of()).run(files, UnaryOperator.identity());

    assertThat(report.difference().map(Replay.Difference::text)).isEmpty();
    assertThat(report.files()).isGreaterThan(1);
    assertThat(report.decisions()).isGreaterThan(500);
    assertThat(report.isCutOff()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(longs = {21})
  void copiesWithOtherNames_areReplayedLikeTheOriginal(long seed) throws IOException {
    Simulation.run(150, seed, new BitSet(), Optional.of(directory));
    Path copies = directory.resolve("renamed");

    RenamedCopy.Result result = RenamedCopy.write(RecordingFiles.in(directory), copies);

    assertThat(result.names()).isGreaterThan(50);
    assertThat(result.differences()).isZero();
    ReplayReport report =
        new Replay(Map.of()).run(RecordingFiles.in(copies), UnaryOperator.identity());
    assertThat(report.difference().map(Replay.Difference::text)).isEmpty();
  }
}
