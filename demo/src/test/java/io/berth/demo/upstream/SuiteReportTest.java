package io.berth.demo.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SuiteReportTest {
  @TempDir private Path folder;

  @Test
  void report_namesFailedSpecsLast_andCountsThoseThatRan() throws IOException {
    SuiteReport report =
        read(
            """
            <testsuites><testsuite name="Kubernetes e2e suite">
              <testcase name="[SynchronizedBeforeSuite]" status="passed"/>
              <testcase name="[It] [sig-scheduling] evicts" status="failed">
                <failure message="no victim was evicted&#10;within 5m" type="failed">where</failure>
              </testcase>
              <testcase name="[It] [sig-scheduling] places" status="passed"/>
              <testcase name="[It] [sig-scheduling] needs a GPU" status="skipped"/>
            </testsuite></testsuites>
            """);

    assertThat(report.text())
        .isEqualTo(
            """
              passed  [sig-scheduling] places
              FAILED  [sig-scheduling] evicts
                      no victim was evicted
            upstream: 1/2
            """);
    assertThat(report.good()).isFalse();
  }

  @Test
  void report_isGood_whenAllThatRanPassed() throws IOException {
    assertThat(read("<t><testcase name='[It] a' status='passed'/></t>").good()).isTrue();
  }

  @Test
  void report_withoutAnySpec_isNotGood() throws IOException {
    SuiteReport report = read("<t><testcase name='[It] a' status='skipped'/></t>");

    assertThat(report.good()).isFalse();
    assertThat(report.text()).isEqualTo("upstream: 0/0\n");
  }

  @Test
  void file_thatIsNoReport_isNamed() {
    assertThatThrownBy(() -> read("panic: no cluster"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("junit.xml is not a JUnit report");
  }

  private SuiteReport read(String xml) throws IOException {
    return SuiteReport.read(Files.writeString(folder.resolve("junit.xml"), xml));
  }
}
