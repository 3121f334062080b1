package dev.muster.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The fraction is cut, whatever the size of the number and the tree that it comes from. */
class WholeNumberTest {

  private static final JsonMapper DOUBLES = JsonMapper.shared();
  private static final JsonMapper DECIMALS =
      JsonMapper.builder().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS).build();

  @ParameterizedTest
  @CsvSource({
    "7, 7",
    "7.0, 7",
    "640.7, 640",
    "-640.7, -640",
    "0.999, 0",
    "-0.5, 0",
    "-0.0, 0",
    "1203189.0, 1203189",
    "1.2e3, 1200",
    "1234e-2, 12",
    "1e-300, 0",
    "18446744073709551615, 18446744073709551615"
  })
  void cutsTheFraction(String sent, String whole) {
    for (JsonMapper mapper : new JsonMapper[] {DOUBLES, DECIMALS}) {
      assertThat(WholeNumber.of(mapper.readTree(sent))).contains(new BigInteger(whole));
    }
  }

  @Test
  void keepsEveryDigitOfADecimal() {
    assertThat(WholeNumber.of(DECIMALS.readTree("18446744073709551615.9")))
        .contains(new BigInteger("18446744073709551615"));
  }

  /** To expand these takes gigabytes. */
  @ParameterizedTest
  @CsvSource({"1e2000000000, 1", "-1e2000000000, -1", "1e-2000000000, 0", "1e300, 1"})
  void expandsNoLongNumber(String sent, int sign) {
    BigInteger number = WholeNumber.of(DECIMALS.readTree(sent)).orElseThrow();

    assertThat(number.signum()).isEqualTo(sign);
    assertThat(number.abs()).isIn(BigInteger.ZERO, BigInteger.TWO.pow(70));
  }

  @ParameterizedTest
  @ValueSource(strings = {"\"7\"", "true", "null", "[7]", "{}", "1e400", "-1e400"})
  void isEmptyForWhatIsNoFiniteNumber(String sent) {
    JsonNode value = DOUBLES.readTree(sent);

    assertThat(WholeNumber.of(value)).isEmpty();
  }
}
