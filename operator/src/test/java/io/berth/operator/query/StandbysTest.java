package io.berth.operator.query;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StandbysTest {
  private Instant now = Instant.EPOCH;
  private final Clock clock = ((InstantSource) () -> now).withZone(ZoneOffset.UTC);
  private final Standbys standbys = new Standbys(clock);

  private void pass(Duration time) {
    now = now.plus(time);
  }

  @Test
  void sameReplicaIsPreferred_asLongAsItAnnouncesItself() {
    standbys.announce("a:1");
    standbys.announce("b:1");
    assertThat(standbys.preferred()).contains("a:1");
    pass(Standbys.KEPT);
    standbys.announce("a:1");
    assertThat(standbys.preferred()).contains("a:1");
    pass(Duration.ofMillis(1));
    standbys.announce("b:1");
    pass(Standbys.KEPT);
    assertThat(standbys.preferred()).contains("b:1");
    pass(Duration.ofMillis(1));
    assertThat(standbys.preferred()).isEmpty();
  }

  @Test
  void replicaThatFailed_isPreferredAgain_onceItAnnouncesItself() {
    standbys.announce("a:1");
    standbys.failed("a:1");
    assertThat(standbys.preferred()).isEmpty();
    standbys.announce("a:1");
    assertThat(standbys.preferred()).contains("a:1");
  }

  @Test
  void announcements_areLimited() {
    for (int port = 1; port <= Standbys.MOST + 1; port++) {
      assertThat(standbys.announce("a:" + port)).isTrue();
    }
    for (int port = 1; port <= Standbys.MOST; port++) {
      standbys.failed("a:" + port);
    }
    assertThat(standbys.preferred()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.1:9444", "[fd00::1]:9444", "berth-0.berth.berth-system.svc:9444"})
  void hostsWithPorts_areAddresses(String address) {
    assertThat(standbys.announce(address)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "host", "host:", "user@host:1", "host:1/path", "fd00::1:9444", "a b:1"})
  void anythingElse_isNot(String address) {
    assertThat(standbys.announce(address)).isFalse();
    assertThat(standbys.preferred()).isEmpty();
  }
}
