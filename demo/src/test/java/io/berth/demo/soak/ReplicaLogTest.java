package io.berth.demo.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Errors and stack traces in the log of a replica. */
class ReplicaLogTest {
  private static final String LOST =
      "02:11:23.491 ERROR Stop               The process exits, so that it restarts with a fresh"
          + " state: the Lease was lost, so this replica must not act on outdated data\n";

  @TempDir Path folder;

  private final Findings findings = new Findings(line -> {});
  private final AtomicBoolean disturbed = new AtomicBoolean();
  private Path file;
  private ReplicaLog log;

  @BeforeEach
  void begin() {
    file = folder.resolve("one.log");
    log = new ReplicaLog(file, disturbed::get, findings);
  }

  private void write(String text) throws IOException {
    Files.writeString(file, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    log.read();
  }

  @Test
  void warningsAndInformation_areNoFindings() throws IOException {
    write("02:00:00.000 INFO  Binder  An ERROR is a word\n02:00:00.001 WARN  Binder  at home\n");

    assertThat(findings.all()).isEmpty();
  }

  @Test
  void errors_areFoundOnce_evenIfTheirNumbersDiffer() throws IOException {
    write("02:00:00.000 ERROR Loop  Pod 1 failed\n");
    write("02:00:07.000 ERROR Loop  Pod 2 failed\n02:00:08.000 ERROR Loop  It is over\n");

    assertThat(findings.all())
        .hasSize(2)
        .anyMatch(line -> line.contains("an error in one.log, line 1: 02:00:00.000 ERROR Loop"))
        .anyMatch(line -> line.contains("line 3") && line.contains("It is over"));
  }

  @Test
  void aStackTrace_isFoundOnce_withTheLineBeforeIt() throws IOException {
    write("02:00:00.000 WARN  Loop  It broke\n\tat io.berth.Loop.run(Loop.java:3)\n");
    write("\tat io.berth.Loop.main(Loop.java:9)\n");

    assertThat(findings.all()).hasSize(1).first().asString().contains("a stack trace", "It broke");
  }

  @Test
  void aLine_isJudgedWhenItIsComplete() throws IOException {
    write("02:00:00.000 ERR");
    assertThat(findings.all()).isEmpty();

    write("OR Loop  It broke\n");
    assertThat(findings.all()).hasSize(1);
  }

  @Test
  void theExitAfterALostLease_isAFinding_unlessTheReplicaHadAFault() throws IOException {
    disturbed.set(true);
    write(LOST);
    assertThat(findings.all()).isEmpty();
    assertThat(log.exits()).isEqualTo(1);

    disturbed.set(false);
    write(LOST);
    assertThat(findings.all()).hasSize(1);
  }
}
