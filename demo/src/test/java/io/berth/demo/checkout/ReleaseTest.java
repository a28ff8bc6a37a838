package io.berth.demo.checkout;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.demo.cluster.Checkout;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The script that builds a release. */
class ReleaseTest {

  private static final Path ROOT = Checkout.find().root();

  @ParameterizedTest
  @ValueSource(strings = {"", "1.2", "v1.2.3", "1.2.3 4"})
  void release_needsAVersion(String version) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(ROOT.resolve(".ci").resolve("release").toString(), version)
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(process.waitFor()).isEqualTo(2);
    assertThat(said).contains("make release VERSION=1.2.3");
  }

  /**
   * A fake Maven that creates the files of a build but cannot reach the registry of the base image.
   */
  private static final String OFFLINE_MAVEN =
      """
      #!/bin/sh
      case "$*" in *jib:*) echo "the registry cannot be reached" >&2; exit 1 ;; esac
      mkdir -p operator/target
      echo jar > operator/target/berth.jar
      echo '{}' > operator/target/bom.json
      """;

  @Test
  void release_isCompleteButForItsImages_whereTheBaseImageCannotBePulled(@TempDir Path folder)
      throws IOException, InterruptedException {
    Path clone = folder.resolve("berth");
    run(folder, "git", "clone", "-q", ROOT.toRealPath().toString(), clone.toString());
    Files.copy(
        ROOT.resolve(".ci/release"),
        clone.resolve(".ci/release"),
        StandardCopyOption.REPLACE_EXISTING);
    run(
        clone,
        "git",
        "-c",
        "user.name=t",
        "-c",
        "user.email=t@t",
        "commit",
        "-qam",
        "x",
        "--allow-empty");
    Path maven = Files.writeString(folder.resolve("mvn"), OFFLINE_MAVEN);
    assertThat(maven.toFile().setExecutable(true)).isTrue();

    ProcessBuilder release =
        new ProcessBuilder(clone.resolve(".ci/release").toString(), "0.1.0")
            .redirectErrorStream(true);
    release.environment().put("MVN", maven.toString());
    Process process = release.start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(process.waitFor()).as(said).isEqualTo(3);
    assertThat(said).contains("no image was built for amd64 arm64", "BASE_IMAGE=", "IMAGES=");
    Path built = clone.resolve("build/release");
    assertThat(run(built, "sha256sum", "-c", "SHA256SUMS").lines())
        .containsExactlyInAnyOrder(
            "CHANGES.md: OK",
            "berth-chart-0.1.0.tgz: OK",
            "berth-sbom.cdx.json: OK",
            "berth.jar: OK",
            "berth.yaml: OK",
            "kubectl-berth.tar.gz: OK",
            "provenance.json: OK");
    JsonNode provenance = new ObjectMapper().readTree(built.resolve("provenance.json").toFile());
    assertThat(provenance.path("subject")).hasSize(6);
    assertThat(
            provenance
                .at("/predicate/buildDefinition/resolvedDependencies/0/digest/gitCommit")
                .asText())
        .isEqualTo(run(clone, "git", "rev-parse", "HEAD").strip());
    assertThat(Files.readString(built.resolve("CHANGES.md"))).contains("### API and webhook");
  }

  private static String run(Path folder, String... command)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    return said;
  }

  @Test
  void mavenWrapper_isAScript_thatFetchesOneVersionOfMaven() throws IOException {
    String settings =
        Files.readString(
            ROOT.resolve(".mvn").resolve("wrapper").resolve("maven-wrapper.properties"));

    assertThat(settings)
        .contains("distributionType=only-script")
        .containsPattern("distributionUrl=\\S+/apache-maven-3\\.9\\.[0-9]+-bin\\.zip");
    assertThat(Files.isExecutable(ROOT.resolve("mvnw"))).isTrue();
    assertThat(ROOT.resolve(".mvn").resolve("wrapper").resolve("maven-wrapper.jar")).doesNotExist();
  }
}
