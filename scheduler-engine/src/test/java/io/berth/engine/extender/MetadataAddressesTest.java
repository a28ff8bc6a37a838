package io.berth.engine.extender;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The addresses that no extender may have. */
class MetadataAddressesTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "169.254.169.254",
        "169.254.170.2",
        "169.254.0.23",
        "168.63.129.16",
        "100.100.100.200",
        "192.0.0.192",
        "[fe80::1]",
        "[febf::a9fe:a9fe]",
        "[fd00:ec2::254]",
        "[FD00:EC2::23]",
        "[fd20:ce::254]",
        "[fd00:c1::a9fe:a9fe]",
        "[fd00:42::42]",
        "[fd00:a9fe:a9fe::1]",
        "[::ffff:169.254.169.254]",
        "[0:0:0:0:0:ffff:a83f:8110]",
        "[::169.254.169.254]",
        "[::ffff:0:169.254.169.254]",
        "[64:ff9b::169.254.169.254]",
        "[64:ff9b::6464:64c8]",
        "[64:ff9b:1::a9fe:a9fe]",
        "[64:ff9b:1:a9fe:a9:fe00::]",
        "[64:ff9b:1:1a9:fe:a9fe::]",
        "[64:ff9b:1:1:a9:fea9:fe00:0]",
        "[2002:a9fe:a9fe::1]"
      })
  void anAddressWhereCloudsServeCredentials_isOneInEachForm(String host) throws Exception {
    assertThat(MetadataAddresses.containText(host)).isTrue();
    assertThat(MetadataAddresses.contain(InetAddress.getByName(host).getAddress())).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "10.0.0.1",
        "127.0.0.1",
        "168.63.129.17",
        "192.0.0.191",
        "[::1]",
        "[::]",
        "[fec0::1]",
        "[fd00:ec3::254]",
        "[fd20:cf::254]",
        "[::ffff:10.0.0.1]",
        "[64:ff9b::10.0.0.1]",
        "[64:ff9b:1::10.0.0.1]",
        "[2002:a00:1::a9fe:a9fe]",
        "[2001:db8::a9fe:a9fe]"
      })
  void anotherAddress_isNone(String host) throws Exception {
    assertThat(MetadataAddresses.containText(host)).isFalse();
    assertThat(MetadataAddresses.contain(InetAddress.getByName(host).getAddress())).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"gpu-share.kube-system", "169.254.169.254.example.com", "[1:2]", "[::g]", "[:::]"})
  void textThatIsNoAddress_isNone(String host) {
    assertThat(MetadataAddresses.containText(host)).isFalse();
  }
}
