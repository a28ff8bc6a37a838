package io.berth.serving.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ConnectionPaceTest {
  private static final int PER_SECOND = 10;

  /** A clock of {@link System#nanoTime} may overflow. */
  private long now = Long.MAX_VALUE - Duration.ofSeconds(1).toNanos();

  private final ConnectionPace pace = new ConnectionPace(PER_SECOND, () -> now);
  private InetAddress one;
  private InetAddress other;

  @BeforeEach
  void nameAddresses() throws Exception {
    one = InetAddress.getByAddress(new byte[] {10, 0, 0, 1});
    other = InetAddress.getByAddress(new byte[] {10, 0, 0, 2});
  }

  private int takeAll(InetAddress client) {
    int taken = 0;
    while (pace.take(client)) {
      taken++;
    }
    return taken;
  }

  @Test
  void anAddress_opensFourSecondsOfConnectionsAtOnce_thenAsManyAsThePaceAllows() {
    assertThat(takeAll(one)).isEqualTo(4 * PER_SECOND);

    now += Duration.ofSeconds(2).toNanos();

    assertThat(takeAll(one)).isEqualTo(2 * PER_SECOND);
  }

  @Test
  void anAddress_usesUpNothingOfAnother() {
    takeAll(one);

    assertThat(takeAll(other)).isEqualTo(4 * PER_SECOND);
  }

  @Test
  void addressesThatWaitedLongEnough_startAgain() {
    takeAll(one);
    now += Duration.ofSeconds(60).toNanos();
    pace.forgetIdle();

    assertThat(takeAll(one)).isEqualTo(4 * PER_SECOND);
  }

  @Test
  void forgetting_doesNotHelpAnAddressInABurst() {
    takeAll(one);
    pace.forgetIdle();

    assertThat(pace.take(one)).isFalse();
  }

  @Test
  void ipv6AddressesOfOneNetwork_haveOnePace() throws Exception {
    takeAll(InetAddress.getByName("2001:db8:0:1::1"));

    assertThat(pace.take(InetAddress.getByName("2001:db8:0:1::2"))).isFalse();
    assertThat(pace.take(InetAddress.getByName("2001:db8:0:2::1"))).isTrue();
  }
}
