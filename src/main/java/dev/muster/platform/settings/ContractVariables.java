package dev.muster.platform.settings;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindResult;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertyResolver;

/**
 * Sets the properties {@code muster.*} from the variables of the contract. Checks them before
 * anything else begins. The variables are those of {@code docs/api.md}, section 12.
 *
 * <p>An empty variable counts as unset. A bad value of a tuning variable logs a warning, and its
 * default is used. A bad value of a security variable refuses the start with one sentence. The
 * start is also refused when a variable and its property differ, and when a property that begins
 * with {@code muster.} is unknown.
 */
public final class ContractVariables
    implements ApplicationContextInitializer<ConfigurableApplicationContext> {

  static final String PREFIX = "muster.";

  /** The property source of the values that variables set. */
  static final String VARIABLES = "variables of Muster";

  private static final Logger log = LoggerFactory.getLogger(ContractVariables.class);

  @Override
  public void initialize(ConfigurableApplicationContext context) {
    apply(context.getEnvironment());
  }

  /** Adds the values and the defaults of all settings to the environment. */
  static void apply(ConfigurableEnvironment environment) {
    refuseUnknown(SettingNames.givenProperties(environment));
    Map<String, Object> given = new HashMap<>();
    Map<String, Object> defaults = new HashMap<>();
    for (Setting setting : Setting.values()) {
      if (setting.isOfMuster()) {
        value(setting, environment).ifPresent(value -> given.put(setting.property(), value));
        if (setting.kind() == Setting.Kind.TUNING) {
          defaults.put(setting.property(), setting.format().toProperty(setting.byDefault()));
        }
      }
    }
    environment.getPropertySources().addFirst(new MapPropertySource(VARIABLES, given));
    environment.getPropertySources().addLast(new MapPropertySource("defaults of Muster", defaults));
    refuseUnusable(environment);
  }

  /**
   * Returns all that would refuse a start, each as a sentence; none where the settings are good.
   */
  public static List<String> problems(ConfigurableEnvironment environment) {
    List<String> problems = new ArrayList<>();
    for (String name : SettingNames.givenProperties(environment)) {
      collect(problems, () -> refuseUnknown(List.of(name)));
    }
    for (Setting setting : Setting.values()) {
      if (setting.isOfMuster()) {
        collect(
            problems,
            () -> {
              Optional<String> _ = value(setting, environment);
              refuseUnusable(setting, environment);
            });
      }
    }
    return problems;
  }

  private static void collect(List<String> problems, Runnable check) {
    try {
      check.run();
    } catch (StartRefusedException e) {
      problems.add(String.valueOf(e.getMessage()));
    }
  }

  /** Refuses the start for the first bad property; the sentence does not contain its value. */
  private static void refuseUnusable(ConfigurableEnvironment environment) {
    for (Setting setting : Setting.values()) {
      refuseUnusable(setting, environment);
    }
  }

  private static void refuseUnusable(Setting setting, ConfigurableEnvironment environment) {
    if (setting.isOfMuster() && !isUsable(setting, environment)) {
      throw new StartRefusedException(
          "The property %s is not usable: expected %s."
              .formatted(setting.property(), setting.format().expectedOfProperty()));
    }
  }

  private static boolean isUsable(Setting setting, ConfigurableEnvironment environment) {
    Class<?> type = setting.format().type();
    if (type == String.class) {
      return true; // it may be a list; the class that uses it checks it
    }
    try {
      BindResult<?> value = Binder.get(environment).bind(setting.property(), type);
      return !value.isBound() || setting.format().isInRange(value.get());
    } catch (BindException notOfThatType) {
      return false;
    }
  }

  /** Returns the trimmed value of a variable or property; empty when it is unset or blank. */
  public static Optional<String> text(PropertyResolver environment, String name) {
    return Optional.ofNullable(environment.getProperty(name))
        .map(String::strip)
        .filter(value -> !value.isEmpty());
  }

  /** Returns the property's value that the variable sets; empty when it sets none. */
  private static Optional<String> value(Setting setting, ConfigurableEnvironment environment) {
    BindResult<String> bound = Binder.get(environment).bind(setting.property(), String.class);
    Optional<String> property = bound.isBound() ? Optional.of(bound.get()) : Optional.empty();
    if (property.filter(String::isBlank).isPresent() && setting.format() != SettingFormat.TEXT) {
      throw new StartRefusedException(
          "The property %s is empty (expected: %s)."
              .formatted(setting.property(), setting.format().expectedOfProperty()));
    }
    Optional<String> value =
        text(environment, setting.name()).flatMap(text -> converted(setting, text));
    if (value.isPresent() && property.isPresent() && !value.get().equals(property.get().strip())) {
      throw new StartRefusedException(
          "%s and the property %s have different values; set only one of them."
              .formatted(setting, setting.property()));
    }
    return value;
  }

  private static Optional<String> converted(Setting setting, String value) {
    try {
      String converted = setting.format().toProperty(value);
      if (setting.format() == SettingFormat.DAYS) {
        warnOfDays(setting, value, converted);
      }
      return Optional.of(converted);
    } catch (IllegalArgumentException e) {
      String expected = setting.format().expected();
      if (setting.kind() == Setting.Kind.SECURITY) {
        throw new StartRefusedException(
            "%s is not usable: expected %s.".formatted(setting, expected), e);
      }
      log.warn(
          "{}={} is not usable (expected {}); using the default {}",
          setting,
          value,
          expected,
          setting.byDefault());
      return Optional.empty();
    }
  }

  private static void warnOfDays(Setting setting, String value, String used) {
    BigInteger days = SettingFormat.wholeNumber(value);
    if (!SettingFormat.isWithinDays(days)) {
      log.warn("{}={} is not from 1 to 10000 days; using {}", setting, days, used);
    }
  }

  /** Refuses the start for the first name that begins with {@code muster.} and is not a setting. */
  static void refuseUnknown(Collection<String> names) {
    for (String name : names) {
      ConfigurationPropertyName property = ConfigurationPropertyName.adapt(name, '.');
      if (property.toString().startsWith(PREFIX) && !isKnown(property)) {
        throw new StartRefusedException(
            "The property %s is not a setting of Muster%s"
                .formatted(
                    SettingNames.shown(name),
                    SettingNames.nearestProperty(name)
                        .map(near -> SettingNames.didYouMean(Optional.of(near)))
                        .orElse("; --help lists all of them.")));
      }
    }
  }

  /** Elements of a list, such as {@code muster.agent-url.allow[0]}, belong to the list. */
  private static boolean isKnown(ConfigurationPropertyName name) {
    ConfigurationPropertyName list = name.isLastElementIndexed() ? name.getParent() : name;
    return Arrays.stream(Setting.values())
        .map(setting -> ConfigurationPropertyName.of(setting.property()))
        .anyMatch(list::equals);
  }
}
