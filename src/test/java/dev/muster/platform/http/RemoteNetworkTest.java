package dev.muster.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which addresses share a rate limit while they have no valid credential. */
class RemoteNetworkTest {

  @ParameterizedTest
  @CsvSource({
    "192.0.2.1, 192.0.2.1",
    "192.0.2.1, ::ffff:192.0.2.1",
    "2001:db8:1:2::1, 2001:db8:1:2:ffff:ffff:ffff:ffff",
    "2001:db8:1:2::1, [2001:db8:1:2::2]",
    "fe80::1, fe80::2%7",
    "something else, another"
  })
  void isTheSame(String one, String other) {
    assertThat(RemoteNetwork.of(one)).isEqualTo(RemoteNetwork.of(other));
  }

  @ParameterizedTest
  @CsvSource({
    "192.0.2.1, 192.0.2.2",
    "2001:db8:1:2::1, 2001:db8:1:3::1",
    "0.0.0.1, ::1",
    "0.0.0.0, ::"
  })
  void isAnother(String one, String other) {
    assertThat(RemoteNetwork.of(one)).isNotEqualTo(RemoteNetwork.of(other));
  }
}
