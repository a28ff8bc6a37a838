package io.berth.operator.recording;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.Engine;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.api.Idle;
import io.berth.engine.api.Outcome;
import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.kube.KubeEvents;
import io.berth.engine.policy.PolicyCompilation;
import io.berth.engine.policy.PolicyCompiler;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Recordings: their files, and their replay. */
class RecorderTest {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00.123456789Z");

  @TempDir private Path directory;

  private final KubeEvents events = new KubeEvents();
  private final AtomicLong nanos = new AtomicLong();
  private Instant now = START;

  /** An engine that is recorded. */
  private final class Recorded {
    private final Recorder recorder;
    private Engine engine;

    Recorded(Recorder recorder) {
      this.recorder = recorder;
      this.engine = begin();
    }

    Engine begin() {
      engine = new Engine(EngineOptions.defaults());
      recorder.begun(engine.options());
      apply(new ClusterEvent.PolicyServed(policy(SchedulingPolicySpec.defaults())));
      apply(new ClusterEvent.DefaultPolicyChanged("usual"));
      return engine;
    }

    void apply(ClusterEvent event) {
      recorder.applied(event, now);
      engine.apply(event, now);
    }

    void upsert(HasMetadata object) {
      apply(events.upserted(object));
    }

    void decideAll() {
      Outcome outcome;
      do {
        now = now.plusMillis(3);
        outcome = engine.next(now);
        recorder.answered(outcome, now);
      } while (!(outcome instanceof Idle));
    }
  }

  private Recorder recorder(long bytes) {
    return new Recorder(new RecordingOptions(directory, bytes), nanos::get);
  }

  private static CompiledPolicy policy(SchedulingPolicySpec spec) {
    return ((PolicyCompilation.Compiled) new PolicyCompiler().compile("usual", "1", spec)).policy();
  }

  private static Node node(String name) {
    return new NodeBuilder()
        .withNewMetadata()
        .withName(name)
        .withUid("uid-" + name.hashCode())
        .withLabels(Map.of("kubernetes.io/hostname", name, "zone", "a"))
        .endMetadata()
        .withNewStatus()
        .withAllocatable(
            Map.of(
                "cpu", new Quantity("16"),
                "memory", new Quantity("64Gi"),
                "pods", new Quantity("110")))
        .endStatus()
        .build();
  }

  private static Pod pod(String name, String cpu) {
    return new PodBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace("team")
        .withUid("uid-" + name.hashCode())
        .withLabels(Map.of("app", "web"))
        .endMetadata()
        .withNewSpec()
        .withSchedulerName("berth")
        .addNewContainer()
        .withName("c")
        .addNewEnv()
        .withName("PASSWORD")
        .withValue("secret-value")
        .endEnv()
        .withNewResources()
        .withRequests(Map.of("cpu", new Quantity(cpu)))
        .endResources()
        .endContainer()
        .endSpec()
        .withNewStatus()
        .withPhase("Pending")
        .endStatus()
        .build();
  }

  private void recordSome(int pods) {
    try (Recorder recorder = recorder(1 << 30)) {
      Recorded recorded = new Recorded(recorder);
      for (int i = 0; i < 5; i++) {
        recorded.upsert(node("n" + i));
      }
      for (int i = 0; i < pods; i++) {
        recorded.upsert(pod("p" + i, i % 10 == 9 ? "100" : "500m"));
        recorded.decideAll();
      }
    }
  }

  private ReplayReport replay(Path where, Map<String, CompiledPolicy> tried) throws IOException {
    return new Replay(tried).run(RecordingFiles.in(where), UnaryOperator.identity());
  }

  @Test
  void replay_decidesAsRecorded() throws IOException {
    recordSome(50);

    ReplayReport report = replay(directory, Map.of());

    assertThat(report.difference()).isEmpty();
    assertThat(report.decisions()).isEqualTo(50);
    assertThat(report.from()).contains(START);
    assertThat(report.to()).contains(now);
    assertThat(report.isCutOff()).isFalse();
  }

  @Test
  void aRecording_isSmall_andHasNoValuesOfEnvironmentVariables() throws IOException {
    recordSome(1_000);

    Path file = RecordingFiles.in(directory).getFirst();
    assertThat(Files.size(file)).isLessThan(1_000 * 100);
    try (StepReader steps = new StepReader(file, UnaryOperator.identity())) {
      for (var step = steps.next(); step.isPresent(); step = steps.next()) {
        assertThat(step.get().toString()).doesNotContain("secret-value");
      }
    }
  }

  @Test
  void aDecisionThatDiffers_isNamed() throws IOException {
    recordSome(3);
    Path file = RecordingFiles.in(directory).getFirst();
    Path changed = Files.createDirectory(directory.resolve("changed"));
    try (StepReader steps = new StepReader(file, UnaryOperator.identity());
        StepWriter writer =
            new StepWriter(Files.newOutputStream(changed.resolve(file.getFileName())))) {
      for (var step = steps.next(); step.isPresent(); step = steps.next()) {
        writer.write(
            step.get() instanceof Step.Asked(Instant at, RecordedOutcome outcome)
                    && outcome.nodeName().equals("n1")
                ? new Step.Asked(
                    at,
                    new RecordedOutcome(
                        outcome.kind(),
                        outcome.pod(),
                        "n4",
                        outcome.victims(),
                        outcome.message(),
                        outcome.digest()))
                : step.get());
      }
    }

    Replay.Difference difference = replay(changed, Map.of()).difference().orElseThrow();

    assertThat(difference.recorded().text()).isEqualTo("team/p1 placed on n4");
    assertThat(difference.replayed().orElseThrow().text()).isEqualTo("team/p1 placed on n1");
    assertThat(difference.text()).contains(file.getFileName().toString(), "recorded: team/p1");
  }

  @Test
  void anotherPolicy_isComparedPodByPod() throws IOException {
    recordSome(10);
    CompiledPolicy small =
        policy(
            new com.fasterxml.jackson.databind.ObjectMapper()
                .readValue(
                    """
                    {"allowedNamespaces": {"names": ["others"]}}
                    """,
                    SchedulingPolicySpec.class));

    PolicyComparison comparison = replay(directory, Map.of("usual", small)).policies().get("usual");

    assertThat(comparison).isNotNull();
    assertThat(comparison.compared()).isEqualTo(10);
    assertThat(comparison.pods(io.berth.engine.api.ShadowDecision.Result.FITS_NOWHERE))
        .isEqualTo(9);
    assertThat(comparison.pods(io.berth.engine.api.ShadowDecision.Result.SAME)).isEqualTo(1);
    assertThat(comparison.isWorse()).isTrue();
    assertThat(comparison.changes()).hasSize(9);
  }

  @Test
  void aFullFile_isFollowedByOneOfANewEngine_andTheOldestIsDeleted()
      throws IOException, InterruptedException {
    int bytes = 160_000;
    try (Recorder recorder = recorder(bytes)) {
      Recorded recorded = new Recorded(recorder);
      for (int round = 0; round < 8; round++) {
        recorded.upsert(node("n" + round));
        for (int i = 0; !recorder.wantsNewEngine(); i++) {
          recorded.upsert(pod("p" + round + "-" + i, "1m"));
          recorded.decideAll();
          nanos.addAndGet(Duration.ofSeconds(2).toNanos());
          while (recorder.waitingBatches() > 16) { // a gap would end the round before its file
            Thread.sleep(1);
          }
        }
        recorded.begin();
        recorded.decideAll();
      }
    }

    List<Path> files = RecordingFiles.in(directory);
    assertThat(files.getFirst().getFileName().toString()).isGreaterThan("berth-00000001");
    long size = 0;
    for (Path file : files) {
      size += Files.size(file);
    }
    assertThat(size).isBetween(bytes / 4L, (long) bytes);
    assertThat(files.getLast().getFileName()).hasToString("berth-00000009.recording");
    assertThat(replay(directory, Map.of()).difference()).isEmpty();
  }

  @Test
  void aFileOfAKilledProcess_isReplayedAsFarAsItGoes() throws IOException {
    recordSome(200);
    Path file = RecordingFiles.in(directory).getFirst();
    byte[] bytes = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(bytes, bytes.length * 2 / 3));

    ReplayReport report = replay(directory, Map.of());

    assertThat(report.difference()).isEmpty();
    assertThat(report.isCutOff()).isTrue();
    assertThat(report.decisions()).isBetween(20L, 199L);
  }

  @Test
  void aFileWithoutSteps_isCutOff() throws IOException {
    recordSome(10);
    Path file = RecordingFiles.in(directory).getFirst();
    byte[] bytes = Files.readAllBytes(file);
    for (int length : List.of(0, 5, 20)) {
      Files.write(directory.resolve("berth-00000002.recording"), Arrays.copyOf(bytes, length));

      ReplayReport report = replay(directory, Map.of());

      assertThat(report.isCutOff()).as("%d bytes", length).isTrue();
      assertThat(report.decisions()).isEqualTo(10);
    }
  }

  @Test
  void stepsBeforeAnEngineThatHangs_areWritten() throws IOException {
    try (Recorder recorder = recorder(1 << 30)) {
      Recorded recorded = new Recorded(recorder);
      recorded.upsert(node("n1"));
      recorder.eventsEnded(); // and then the engine does not answer
      Path file = directory.resolve("berth-00000001.recording");
      nanos.addAndGet(Duration.ofSeconds(2).toNanos());
      await().until(() -> Files.exists(file) && Files.size(file) > 100);
    }

    assertThat(replay(directory, Map.of()).events()).isEqualTo(3);
  }

  @Test
  void otherFiles_areRefused() throws IOException {
    Path file = directory.resolve("berth-00000001.recording");
    Files.writeString(file, "something else, longer than the first line");

    assertThatThrownBy(() -> replay(directory, Map.of()))
        .isInstanceOf(IOException.class)
        .hasMessage(file + " is no recording of Berth, or one of another format");
  }

  @Test
  void aCopyWithOtherNames_hasNoneOfThem_andIsReplayed() throws IOException {
    recordSome(30);
    Path copies = directory.resolve("copies");

    RenamedCopy.Result result = RenamedCopy.write(RecordingFiles.in(directory), copies);

    assertThat(result).isEqualTo(new RenamedCopy.Result(36, 0));
    assertThat(replay(copies, Map.of()).difference()).isEmpty();
    try (StepReader steps =
        new StepReader(RecordingFiles.in(copies).getFirst(), UnaryOperator.identity())) {
      for (var step = steps.next(); step.isPresent(); step = steps.next()) {
        assertThat(step.get().toString()).doesNotContainPattern("\\b(team|n[0-9]|p[0-9]+)\\b");
      }
    }
  }
}
