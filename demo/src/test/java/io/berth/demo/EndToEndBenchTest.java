package io.berth.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** A small run of {@code make bench-e2e} on an embedded cluster. */
class EndToEndBenchTest {

  @TempDir private Path folder;

  private final StringWriter printed = new StringWriter();

  private int run(String... arguments) {
    return new CommandLine(new EndToEndBenchMain())
        .setOut(new PrintWriter(printed))
        .setErr(new PrintWriter(printed))
        .execute(arguments);
  }

  @Test
  void figuresOfARun_areWrittenAsJson() throws IOException {
    Path json = folder.resolve("bench-e2e.json");

    int code =
        run(
            "--scheduler=bare",
            "--nodes=3",
            "--pods=20",
            "--seconds=1",
            "--logs=" + folder,
            "--out=" + json);

    assertThat(code).as(printed.toString()).isZero();
    JsonNode figures = new ObjectMapper().readTree(json.toFile());
    assertThat(figures.path("scheduler").asText()).isEqualTo("bare");
    assertThat(figures.path("podsPerSecond").asDouble()).isPositive();
    assertThat(figures.path("cpuSecondsPer1000").asDouble()).isPositive();
    assertThat(figures.at("/at50/measured").asInt()).isEqualTo(50);
    assertThat(figures.at("/at200/measured").asInt()).isEqualTo(200);
    for (String rate : new String[] {"/at50", "/at200"}) {
      double p50 = figures.at(rate + "/p50Millis").asDouble();
      double p99 = figures.at(rate + "/p99Millis").asDouble();
      double max = figures.at(rate + "/maxMillis").asDouble();
      assertThat(p50).isPositive().isLessThanOrEqualTo(p99);
      assertThat(p99).isLessThanOrEqualTo(max);
    }
    assertThat(figures.at("/cold/events").asInt()).isEqualTo(20);
    assertThat(figures.at("/warm/events").asInt()).isEqualTo(20);
  }

  @Test
  void runWithoutPods_isRefused() {
    assertThat(run("--pods=0")).isEqualTo(2);
    assertThat(printed.toString()).contains("must be at least 1");
  }
}
