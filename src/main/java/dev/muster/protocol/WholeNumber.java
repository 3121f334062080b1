package dev.muster.protocol;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.NumericNode;

/** Reads a JSON number where a whole number is asked for: the fraction is cut (R0.1). */
public final class WholeNumber {

  /** A bound that is outside the range of every field, and small enough to compute with. */
  private static final BigInteger LARGEST = BigInteger.TWO.pow(70);

  private WholeNumber() {}

  /**
   * Returns the number without its fraction, at most 2⁷⁰ in either direction; empty when the value
   * is no finite number.
   */
  public static Optional<BigInteger> of(JsonNode value) {
    if (!(value instanceof NumericNode number) || number.isNaN()) {
      return Optional.empty();
    }
    BigInteger whole =
        number.isIntegralNumber() ? number.bigIntegerValue() : cut(number.decimalValue());
    return Optional.of(whole.min(LARGEST).max(LARGEST.negate()));
  }

  /** Cuts the fraction without expanding the number, which may have 1,000 million digits. */
  private static BigInteger cut(BigDecimal number) {
    long digits = (long) number.precision() - number.scale();
    if (digits <= 0) {
      return BigInteger.ZERO;
    }
    return digits > LARGEST.bitLength()
        ? LARGEST.multiply(BigInteger.valueOf(number.signum()))
        : number.setScale(0, RoundingMode.DOWN).toBigIntegerExact();
  }
}
