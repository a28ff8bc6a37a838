package io.berth.operator.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Recordings are replayed on the command line, and other policies are tried on them. */
class ReplayCommandTest {
  private static final String RECORDING = "src/test/resources/recordings/simulated-tenants";

  @TempDir private Path folder;

  private Path policy(String spec) throws IOException {
    return Files.writeString(
        folder.resolve("policy.yaml"),
        """
        apiVersion: sched.cloud.ctrip.com/v1
        kind: SchedulingPolicy
        metadata: {name: any}
        spec: %s
        """
            .formatted(spec));
  }

  @Test
  void aRecording_isReplayed() {
    CommandRun run = CommandRun.of("replay", RECORDING);

    assertThat(run.out()).contains(" decisions in 2 files", "All decisions are as recorded");
    assertThat(run.exitCode()).as(run.err()).isZero();
  }

  @Test
  void aPolicyThatIsTried_isCompared() throws IOException {
    CommandRun run =
        CommandRun.of(
            "replay",
            RECORDING,
            "--policy",
            "spread=" + policy("{allowedNamespaces: {names: [nobody]}}"));

    assertThat(run.out())
        .contains("All decisions are as recorded", "Policy spread, ", "would fit nowhere")
        .contains("does not allow namespace");
    assertThat(run.exitCode()).isEqualTo(3);
  }

  @Test
  void aPolicyThatIsTried_isCompared_alsoInJson() throws IOException {
    CommandRun run =
        CommandRun.of("replay", RECORDING, "-o", "json", "--policy", "gpu=" + policy("{}"));

    JsonNode json = new ObjectMapper().readTree(run.out());
    assertThat(json.path("asRecorded").asBoolean()).isTrue();
    assertThat(json.path("decisions").asLong()).isPositive();
    assertThat(json.at("/policies/0/policy").asText()).isEqualTo("gpu");
    assertThat(json.at("/policies/0/compared").asLong(-1)).isZero();
    assertThat(run.exitCode()).isZero();
  }

  @Test
  void whatCannotBeUsed_isNamed() throws IOException {
    assertUnusable(CommandRun.of("replay", folder.resolve("gone").toString()), "does not exist");
    assertUnusable(CommandRun.of("replay", folder.toString()), "has no recording");
    assertUnusable(
        CommandRun.of("replay", RECORDING, "--policy", "spread=" + folder.resolve("no.yaml")),
        "no.yaml");
    assertUnusable(
        CommandRun.of(
            "replay", RECORDING, "--policy", "spread=" + policy("{percentageOfNodesToScore: 101}")),
        "spec.percentageOfNodesToScore must be 0 to 100, not 101");
    assertUnusable(
        CommandRun.of("replay", RECORDING, "--policy", "sprad=" + policy("{}")),
        "--policy sprad: the recording has no policy of this name");
    assertUnusable(
        CommandRun.of("replay", RECORDING, "--policy", "spread=" + policy("{priorities: 5}")),
        "spec cannot be read");
  }

  private static void assertUnusable(CommandRun run, String why) {
    assertThat(run.err()).startsWith("berth: ").contains(why);
    assertThat(run.exitCode()).isEqualTo(2);
  }

  @Test
  void aCopyWithOtherNames_isWritten_andNothingIsOverwritten() {
    String copy = folder.resolve("copy").toString();

    CommandRun run = CommandRun.of("replay", RECORDING, "--rename", copy);

    assertThat(run.out()).contains("names replaced in 2 files");
    assertThat(CommandRun.of("replay", copy).exitCode()).isZero();
    assertUnusable(CommandRun.of("replay", RECORDING, "--rename", copy), "exists already");
  }
}
