package dev.muster.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The versions of A2A by what cards name as their version. */
class A2aVersionTest {

  @ParameterizedTest
  @CsvSource({
    "1.0, 1.0",
    "1.0.0, 1.0",
    "1.1, 1.0",
    "' 1.0 ', 1.0",
    "1, 1.0",
    "0.3, 0.3",
    "0.3.0, 0.3",
    "0.2.6, 0.3",
    "2.0, 0.3",
    "10.0, 0.3",
    "v1.0, 0.3",
    "'', 0.3"
  })
  void isOneOfTwoFamilies(String protocolVersion, String wire) {
    assertThat(A2aVersion.of(protocolVersion).wire()).isEqualTo(wire);
  }

  @ParameterizedTest
  @CsvSource({
    "message/send, , 0.3",
    "SendMessage, , 1.0",
    "SendMessage, 0.3, 1.0",
    "message/send, 1.0, 1.0",
    "message/send, '1.0, 0.3', 1.0",
    "message/send, 0.3, 0.3",
    "message/send, '', 0.3",
    "tasks/list, , 0.3",
    "ListTasks, , 1.0",
    "sendmessage, , 0.3",
    "unknown, 1.1, 1.0",
    "unknown, , 0.3"
  })
  void ofARequestIsThatOfItsMethodOrOfItsHeader(String method, String header, String wire) {
    assertThat(A2aVersion.ofRequest(method, header).wire()).isEqualTo(wire);
  }

  @ParameterizedTest
  @EnumSource
  void hasAllMethods(A2aVersion version) {
    for (A2aMethod method : A2aMethod.values()) {
      assertThat(A2aMethod.of(method.name(version))).contains(method);
    }
  }

  @ParameterizedTest
  @EnumSource
  void isReadFromItsOwnText(A2aVersion version) {
    assertThat(A2aVersion.of(version.wire())).isEqualTo(version);
  }
}
