package io.berth.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConformanceMainTest {
  @TempDir Path folder;

  private final ByteArrayOutputStream output = new ByteArrayOutputStream();

  /** Returns a vector with one pod and one node, and with these expected results. */
  private static String scenario(String feasible, int total) {
    return String.format(
        """
        {"scenario":{"flavor":"taints","name":"tiny-0000-taints","nodes":[{"metadata":{"name":"n1"},\
        "spec":{},"status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"10"}}}],"pods":[],\
        "namespaces":[],"services":[],"pdbs":[],"pod":{"metadata":{"name":"p","namespace":"default",\
        "uid":"u"},"spec":{"schedulerName":"default-scheduler","containers":[{"name":"c","image":\
        "i"}]},"status":{}}},"expect":{"filters":{},"feasible":["%s"],"scores":{},"total":{"n1":%d},\
        "strategies":{}}}
        """,
        feasible, total);
  }

  private int run(String... args) {
    return ConformanceMain.run(args, new PrintStream(output, true, StandardCharsets.UTF_8));
  }

  private String lastLine() {
    return output.toString(StandardCharsets.UTF_8).lines().reduce("", (before, line) -> line);
  }

  private String file(String content) throws IOException {
    return Files.writeString(folder.resolve("vectors.jsonl"), content).toString();
  }

  @Test
  void aDifference_isShownAndCounted() throws IOException {
    assertThat(run(file(scenario("n2", 1)))).isEqualTo(1);
    assertThat(output.toString(StandardCharsets.UTF_8))
        .contains("tiny-0000-taints", "feasible: expected [n2], was [n1]");
    assertThat(lastLine()).isEqualTo("conformance: 0/1");
  }

  @Test
  void aFileThatIsNotThere_isSaidSo() {
    assertThat(run(folder.resolve("absent").toString())).isEqualTo(2);
    assertThat(lastLine()).startsWith("conformance: cannot read");
  }

  @Test
  void aFileThatHoldsNoVectors_doesNotPass() throws IOException {
    assertThat(run(file(""))).isEqualTo(1);
    assertThat(lastLine()).isEqualTo("conformance: 0/0");
  }

  @Test
  void aLineThatIsNotJson_isSaidSo() throws IOException {
    assertThat(run(file("not json"))).isEqualTo(2);
  }

  @Test
  void noFile_isAskedFor() {
    assertThat(run()).isEqualTo(2);
    assertThat(lastLine()).contains("specify one file");
  }
}
