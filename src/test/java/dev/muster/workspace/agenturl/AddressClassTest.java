package dev.muster.workspace.agenturl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AddressClassTest {

  /** The edges of every block: the last address before, the first, the last, the first after. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          0.255.255.255   | unspecified
          1.0.0.0         |
          9.255.255.255   |
          10.0.0.0        | private
          10.255.255.255  | private
          11.0.0.0        |
          100.63.255.255  |
          100.64.0.0      | cgnat
          100.100.100.199 | cgnat
          100.100.100.200 | metadata
          100.127.255.255 | cgnat
          100.128.0.0     |
          126.255.255.255 |
          127.0.0.0       | loopback
          127.255.255.255 | loopback
          128.0.0.0       |
          168.63.129.15   |
          168.63.129.16   | metadata
          168.63.129.17   |
          169.253.255.255 |
          169.254.0.0     | link-local
          169.254.255.255 | link-local
          169.255.0.0     |
          172.15.255.255  |
          172.16.0.0      | private
          172.31.255.255  | private
          172.32.0.0      |
          191.255.255.255 |
          192.0.0.0       | reserved
          192.0.0.255     | reserved
          192.0.1.0       |
          192.0.2.0       | documentation
          192.0.2.255     | documentation
          192.0.3.0       |
          192.88.98.255   |
          192.88.99.0     | tunnel
          192.88.99.255   | tunnel
          192.88.100.0    |
          192.167.255.255 |
          192.168.0.0     | private
          192.168.255.255 | private
          192.169.0.0     |
          198.17.255.255  |
          198.18.0.0      | benchmark
          198.19.255.255  | benchmark
          198.20.0.0      |
          198.51.99.255   |
          198.51.100.0    | documentation
          198.51.100.255  | documentation
          198.51.101.0    |
          203.0.112.255   |
          203.0.113.0     | documentation
          203.0.113.255   | documentation
          203.0.114.0     |
          223.255.255.255 |
          224.0.0.0       | multicast
          239.255.255.255 | multicast
          240.0.0.0       | reserved
          255.255.255.254 | reserved
          255.255.255.255 | broadcast
          ::              | unspecified
          ::1             | loopback
          ::2             | tunnel
          1fff:ffff::     | reserved
          2000::          |
          2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff |
          2001::          | tunnel
          2001:1::        | reserved
          2001:2::        | benchmark
          2001:2:0:ffff:ffff:ffff:ffff:ffff | benchmark
          2001:2:1::      | reserved
          2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff | reserved
          2001:200::      |
          2001:db7:ffff:ffff:ffff:ffff:ffff:ffff |
          2001:db8::      | documentation
          2001:db8:ffff:ffff:ffff:ffff:ffff:ffff | documentation
          2001:db9::      |
          2001:ffff::     |
          2002::          | tunnel
          2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff | tunnel
          2003::          |
          3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff |
          3fff::          | documentation
          3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff | documentation
          3fff:1000::     |
          3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff |
          4000::          | reserved
          64:ff9b::808:808 |
          64:ff9b::ffff:ffff | broadcast
          64:ff9b::1:0:0  | reserved
          64:ff9b:1::     | tunnel
          64:ff9b:1:ffff:ffff:ffff:ffff:ffff | tunnel
          64:ff9b:2::     | reserved
          fbff:ffff::     | reserved
          fc00::          | private
          fd00:ec1:ffff::1 | private
          fd00:ec2::253   | metadata
          fd20:ce::253    | private
          fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff | private
          fe00::          | reserved
          fe80::          | link-local
          febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff | link-local
          fec0::          | reserved
          ff00::          | multicast
          2600::5efd:102:304 |
          2600::5efe:102:304 | tunnel
          2600::200:5efe:102:304 | tunnel
          2600::100:5efe:102:304 |
          2600::5eff:102:304 |
          """)
  void classifies(String address, @Nullable String label) {
    assertThat(AddressClass.of(InetAddress.ofLiteral(address)).map(AddressClass::label))
        .isEqualTo(Optional.ofNullable(label));
  }

  /** The JDK turns mapped addresses into IPv4 ones, except those with a scope. */
  @Test
  void classifiesAMappedAddressThatIsStillIPv6() throws UnknownHostException {
    byte[] mapped = new byte[16];
    mapped[10] = mapped[11] = (byte) 0xff;
    mapped[12] = 127;
    mapped[15] = 1;
    InetAddress address = Inet6Address.getByAddress(null, mapped, -1);
    assertThat(address).isInstanceOf(Inet6Address.class);
    assertThat(AddressClass.of(address)).contains(AddressClass.LOOPBACK);
  }

  @Test
  void ignoresTheZoneOfALinkLocalAddress() throws UnknownHostException {
    byte[] bytes = InetAddress.ofLiteral("fe80::1").getAddress();
    assertThat(AddressClass.of(Inet6Address.getByAddress(null, bytes, 1)))
        .contains(AddressClass.LINK_LOCAL);
  }

  @Test
  void keepsItsLabels() {
    List<String> labels = Arrays.stream(AddressClass.values()).map(AddressClass::label).toList();
    assertThat(labels)
        .containsExactly(
            "metadata",
            "unspecified",
            "loopback",
            "link-local",
            "private",
            "cgnat",
            "multicast",
            "broadcast",
            "documentation",
            "benchmark",
            "tunnel",
            "reserved");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ''                      | ''
          '   '                   | ''
          ,                       | ''
          loopback                | loopback
          LoopBack                | loopback
          ' loopback , PRIVATE '  | loopback private
          private,loopback,       | loopback private
          cgnat,,cgnat            | cgnat
          """)
  void readsTheSetting(String setting, String labels) {
    List<String> read =
        AddressClass.parseAllowed(List.of(setting.split(",", -1))).stream()
            .map(AddressClass::label)
            .toList();
    assertThat(String.join(" ", read)).isEqualTo(labels);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"link-local", "metadata", "none", "*", "all", "loopback private", "127.0.0.1"})
  void refusesOtherWordsAndListsTheAllowedOnes(String word) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> AddressClass.parseAllowed(List.of("loopback", word)))
        .withMessage(word + " (expected: loopback, private, cgnat)");
  }
}
