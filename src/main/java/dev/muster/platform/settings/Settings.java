package dev.muster.platform.settings;

import java.math.BigInteger;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.env.PropertyResolver;
import org.springframework.stereotype.Component;

/**
 * Reads Muster's settings ({@code docs/api.md}, section 12); an empty value counts as unset.
 *
 * <p>A bad value of a <em>tuning</em> setting falls back to its default and logs a warning. A bad
 * value of a <em>security</em> setting refuses the start with one sentence.
 */
@Component
public final class Settings {

  private static final Logger log = LoggerFactory.getLogger(Settings.class);

  /** Keeps computed ages within the times that ids and SQL statements can express. */
  private static final int MAX_DAYS = 10_000;

  private final PropertyResolver source;

  public Settings(PropertyResolver source) {
    this.source = source;
  }

  /** Returns the trimmed value; empty when unset or blank. */
  public Optional<String> text(String name) {
    return Optional.ofNullable(source.getProperty(name))
        .map(String::strip)
        .filter(value -> !value.isEmpty());
  }

  /**
   * Reads a tuning setting; returns {@code fallback} when the value is unset or bad.
   *
   * <p>{@code parse} throws {@link IllegalArgumentException}, whose message says what it expected.
   */
  public <T> T tuning(String name, T fallback, Function<String, T> parse) {
    Optional<String> value = text(name);
    if (value.isEmpty()) {
      return fallback;
    }
    try {
      return parse.apply(value.get());
    } catch (IllegalArgumentException e) {
      log.warn(
          "{}={} is not usable ({}); using the default {}",
          name,
          value.get(),
          e.getMessage(),
          fallback);
      return fallback;
    }
  }

  /**
   * Reads a retention time of 1 to 10,000 whole days.
   *
   * <p>0 becomes 1 and a larger number becomes 10,000, with a warning. The default could be shorter
   * and delete rows that the operator wants to keep.
   */
  public Duration days(String name, int fallback) {
    BigInteger wanted = tuning(name, BigInteger.valueOf(fallback), Values::wholeNumber);
    int days = wanted.max(BigInteger.ONE).min(BigInteger.valueOf(MAX_DAYS)).intValue();
    if (!wanted.equals(BigInteger.valueOf(days))) {
      log.warn("{}={} is not from 1 to {} days; using {}", name, wanted, MAX_DAYS, days);
    }
    return Duration.ofDays(days);
  }

  /**
   * Reads a security setting; refuses the start when the value is bad.
   *
   * <p>{@code parse} throws {@link IllegalArgumentException}, whose message says what it expected
   * and contains no secret.
   */
  public <T> T security(String name, T fallback, Function<String, T> parse) {
    return text(name)
        .map(value -> {
          try {
            return parse.apply(value);
          } catch (IllegalArgumentException e) {
            throw new StartRefusedException(name + " is not usable: " + e.getMessage() + ".", e);
          }
        })
        .orElse(fallback);
  }
}
