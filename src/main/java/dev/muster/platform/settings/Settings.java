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
 * Reads Muster's settings (contract, section 12): an empty value is an unset one.
 *
 * <p>A bad value of a <em>tuning</em> knob falls back to its default with a warning that names it;
 * a bad value of a <em>security</em> setting refuses the start with one sentence.
 */
@Component
public final class Settings {

  private static final Logger log = LoggerFactory.getLogger(Settings.class);

  /** So that no age reaches back to times that ids and statements cannot express. */
  private static final int MAX_DAYS = 10_000;

  private final PropertyResolver source;

  public Settings(PropertyResolver source) {
    this.source = source;
  }

  /** The value as it was written, trimmed; empty when unset or blank. */
  public Optional<String> text(String name) {
    return Optional.ofNullable(source.getProperty(name))
        .map(String::strip)
        .filter(value -> !value.isEmpty());
  }

  /** {@code parse} throws {@link IllegalArgumentException} with what was expected. */
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
   * How long something is kept: 1 to 10,000 whole days. 0 is taken for 1 and a larger number for
   * 10,000, with a warning: the default could delete what was meant to be kept.
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
   * {@code parse} throws {@link IllegalArgumentException} with what was expected; its message never
   * holds a secret.
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
