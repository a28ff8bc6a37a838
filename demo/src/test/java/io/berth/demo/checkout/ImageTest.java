package io.berth.demo.checkout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.berth.demo.cluster.Checkout;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script that builds the container image, with a fake Maven. */
class ImageTest {
  private static final Path ROOT = Checkout.find().root();

  /** Records its arguments, and writes an image with a JVM that does not start. */
  private static final String MAVEN =
      """
      #!/bin/sh
      echo "$*" >> calls
      for argument; do
        case $argument in -Djib.outputPaths.tar=*/first.tar) archive=${argument#*=} ;; esac
      done
      [ -n "$archive" ] || exit 0
      mkdir -p layer/opt/jvm/bin
      printf '#!/bin/sh\\necho "cannot execute"; exit 1\\n' > layer/opt/jvm/bin/java
      chmod +x layer/opt/jvm/bin/java
      tar -czf layer.tar.gz -C layer opt
      echo '[{"Config":"config.json","Layers":["layer.tar.gz"]}]' > manifest.json
      echo '{"config":{"Env":["PATH=/bin","JAVA_HOME=/opt/jvm"]}}' > config.json
      tar -cf "$archive" manifest.json config.json layer.tar.gz
      """;

  @TempDir private Path folder;

  @BeforeEach
  void checkOut() throws IOException {
    Path script = Files.createDirectories(folder.resolve(".ci")).resolve("image");
    Files.copy(ROOT.resolve(".ci/image"), script);
    assertThat(Files.writeString(folder.resolve("mvn"), MAVEN).toFile().setExecutable(true))
        .isTrue();
  }

  private String image(String architecture) throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(folder.resolve(".ci/image").toString(), architecture, "out.tar")
            .redirectErrorStream(true);
    builder.environment().put("MVN", folder.resolve("mvn").toString());
    Process process = builder.start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    return said;
  }

  private List<String> calls() throws IOException {
    return Files.readAllLines(folder.resolve("calls"));
  }

  @Test
  void anotherArchitecture_getsAnImageWithoutACache() throws Exception {
    String said = image("riscv64");

    assertThat(said).contains("no ahead-of-time cache", "riscv64");
    assertThat(calls())
        .singleElement()
        .asString()
        .contains("jib:buildTar", "linux/riscv64", "-Djib.outputPaths.tar=out.tar")
        .doesNotContain("AOTCache");
  }

  @Test
  void aJvmThatDoesNotRunHere_getsAnImageWithoutACache() throws Exception {
    assumeThat(System.getProperty("os.name")).isEqualTo("Linux");
    String architecture = System.getProperty("os.arch").equals("aarch64") ? "arm64" : "amd64";

    String said = image(architecture);

    assertThat(said).contains("no ahead-of-time cache", "/opt/jvm/bin/java", "cannot execute");
    assertThat(calls()).hasSize(2);
    assertThat(calls().getLast()).contains("out.tar").doesNotContain("AOTCache");
  }

  @Test
  void theScriptAgreesWithTheBuild() throws IOException {
    String pom = Files.readString(ROOT.resolve("operator/pom.xml"));
    String script = Files.readString(ROOT.resolve(".ci/image"));

    assertThat(pom)
        .contains("<containerizingMode>packaged</containerizingMode>")
        .contains("<jvmFlag>--enable-native-access=ALL-UNNAMED</jvmFlag>");
    assertThat(script).contains("native=--enable-native-access=ALL-UNNAMED");
  }
}
