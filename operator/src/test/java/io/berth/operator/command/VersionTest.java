package io.berth.operator.command;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class VersionTest {

  @Test
  void version_isThatOfBerthAndOfTheJvm() {
    CommandRun ran = CommandRun.of("--version");

    assertThat(ran.exitCode()).isZero();
    assertThat(ran.out().lines())
        .hasSize(2)
        .satisfiesExactly(
            berth -> assertThat(berth).matches("berth \\S+.*"),
            java -> assertThat(java).isEqualTo("Java " + Runtime.version()));
  }
}
