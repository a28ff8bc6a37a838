package io.berth.serving.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;

class SharesTest {
  private static final int LIMIT = 12;

  private final Shares shares = new Shares(LIMIT);

  private static InetAddress address(int last) throws UnknownHostException {
    return InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) last});
  }

  private int takeAll(InetAddress client) {
    int taken = 0;
    while (shares.take(client, 1)) {
      taken++;
    }
    return taken;
  }

  @Test
  void oneAddress_getsHalf() throws Exception {
    assertThat(takeAll(address(1))).isEqualTo(6);
  }

  @Test
  void eachFurtherAddress_getsHalfOfTheRest_andSoThereIsARestForTheNext() throws Exception {
    takeAll(address(1));

    assertThat(takeAll(address(2))).isEqualTo(3);
    assertThat(takeAll(address(3))).isEqualTo(2);
    assertThat(takeAll(address(4))).isEqualTo(1);
    assertThat(shares.taken()).isEqualTo(LIMIT);
  }

  @Test
  void whatWasGivenBack_canBeTakenAgain() throws Exception {
    takeAll(address(1));
    shares.giveBack(address(1), 6);

    assertThat(shares.taken()).isZero();
    assertThat(takeAll(address(2))).isEqualTo(6);
  }

  @Test
  void anAmountBeyondTheShare_takesNothing() throws Exception {
    assertThat(shares.take(address(1), 4)).isTrue();

    assertThat(shares.take(address(1), 5)).isFalse();

    assertThat(shares.taken()).isEqualTo(4);
  }

  @Test
  void ipv6AddressesOfOneNetwork_shareOneShare() throws Exception {
    int taken = 0;
    for (int host = 1; host <= LIMIT; host++) {
      taken += takeAll(InetAddress.getByName("2001:db8:0:1::" + host));
    }

    assertThat(taken).isEqualTo(6);
    assertThat(takeAll(InetAddress.getByName("2001:db8:0:2::1"))).isEqualTo(3);

    shares.giveBack(InetAddress.getByName("2001:db8:0:1::7"), 6);
    assertThat(shares.taken()).isEqualTo(3);
  }
}
