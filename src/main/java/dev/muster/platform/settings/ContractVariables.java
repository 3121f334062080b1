package dev.muster.platform.settings;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.IgnoreErrorsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertyResolver;
import org.springframework.core.io.support.SpringFactoriesLoader;

/**
 * Sets the properties {@code muster.*} from the variables of the contract. Checks them before
 * anything else begins. The variables are those of {@code docs/api.md}, section 12.
 *
 * <p>An empty variable counts as unset. A bad value of a tuning variable logs a warning, and its
 * default is used. A bad value of a security variable refuses the start with one sentence. The
 * start is also refused when a variable and its property differ, when a property that begins with
 * {@code muster.} is unknown, and by {@link SettingChecks}.
 */
public final class ContractVariables
    implements ApplicationContextInitializer<ConfigurableApplicationContext> {

  static final String PREFIX = "muster.";

  private static final Logger log = LoggerFactory.getLogger(ContractVariables.class);

  @Override
  public void initialize(ConfigurableApplicationContext context) {
    apply(context.getEnvironment());
  }

  /**
   * What is wrong with the settings.
   *
   * @param refusals what refuses a start, which says the first
   * @param warnings what a start warns of, a clause each
   */
  public record Faults(List<StartRefusedException> refusals, List<String> warnings) {}

  /**
   * Adds the values and the defaults of all settings to the environment.
   *
   * @throws StartRefusedException for the first fault that refuses the start
   */
  static void apply(ConfigurableEnvironment environment) {
    Faults faults = faults(environment);
    faults.warnings().forEach(log::warn);
    if (!faults.refusals().isEmpty()) {
      throw faults.refusals().getFirst();
    }
  }

  /** As at a start, adds the values and the defaults of all settings, and returns all faults. */
  public static Faults faults(ConfigurableEnvironment environment) {
    Faults faults = new Faults(new ArrayList<>(), new ArrayList<>());
    for (String name : SettingNames.givenProperties(environment)) {
      collect(faults, () -> refuseUnknown(name));
    }
    addValues(environment, faults);
    SecuritySettings texts =
        Binder.get(environment)
            .bindOrCreate(
                "muster", Bindable.of(SecuritySettings.class), new IgnoreErrorsBindHandler());
    for (SettingChecks checks : SpringFactoriesLoader.loadFactories(SettingChecks.class, null)) {
      for (Supplier<?> parser : checks.parsers(texts, environment)) {
        collect(
            faults,
            () -> {
              Object _ = parser.get();
            });
      }
      faults.warnings().addAll(checks.warnings(environment));
    }
    faults.warnings().addAll(SettingNames.warnings(environment));
    return faults;
  }

  /** A setting can depend on another one, whose refusal counts once. */
  private static void collect(Faults faults, Runnable check) {
    try {
      check.run();
    } catch (StartRefusedException e) {
      if (faults.refusals().stream()
          .noneMatch(one -> Objects.equals(one.getMessage(), e.getMessage()))) {
        faults.refusals().add(e);
      }
    }
  }

  private static void addValues(ConfigurableEnvironment environment, Faults faults) {
    Map<String, Object> given = new HashMap<>();
    Map<String, Object> defaults = new HashMap<>();
    Setting.ofMuster()
        .forEach(setting -> {
          collect(
              faults,
              () ->
                  value(setting, environment, faults.warnings())
                      .ifPresent(value -> given.put(setting.property(), value)));
          if (setting.kind() == Setting.Kind.TUNING) {
            defaults.put(
                setting.property(), setting.format().toProperty(setting.byDefault()).orElseThrow());
          }
        });
    environment.getPropertySources().addFirst(new MapPropertySource("variables of Muster", given));
    environment.getPropertySources().addLast(new MapPropertySource("defaults of Muster", defaults));
  }

  /** Returns the trimmed value of a variable or property; empty when it is unset or blank. */
  public static Optional<String> text(PropertyResolver environment, String name) {
    return Optional.ofNullable(environment.getProperty(name))
        .map(String::strip)
        .filter(value -> !value.isEmpty());
  }

  /** Returns the property's value that the variable sets; empty when it sets none. */
  private static Optional<String> value(
      Setting setting, ConfigurableEnvironment environment, List<String> warnings) {
    Optional<String> property =
        Optional.ofNullable(
            Binder.get(environment).bind(setting.property(), String.class).orElse(null));
    property.ifPresent(text -> refuseUnusable(setting, text));
    Optional<String> value =
        text(environment, setting.name()).flatMap(text -> converted(setting, text, warnings));
    if (value.isPresent() && property.isPresent() && !value.get().equals(property.get().strip())) {
      throw new StartRefusedException(
          "%s and the property %s have different values; set only one of them."
              .formatted(setting, setting.property()));
    }
    return value;
  }

  /** Refuses the start for a bad property; the sentence does not contain its value. */
  private static void refuseUnusable(Setting setting, String property) {
    SettingFormat format = setting.format();
    if (property.isBlank() && !format.isText()) {
      throw new StartRefusedException(
          "The property %s is empty (expected: %s)."
              .formatted(setting.property(), format.expectedOfProperty()));
    }
    if (format.parse(property).isEmpty()) {
      throw new StartRefusedException(
          "The property %s is not usable: expected %s."
              .formatted(setting.property(), format.expectedOfProperty()));
    }
  }

  private static Optional<String> converted(Setting setting, String value, List<String> warnings) {
    SettingFormat format = setting.format();
    Optional<String> property = format.toProperty(value);
    if (property.isEmpty() && setting.kind() == Setting.Kind.SECURITY) {
      throw new StartRefusedException(
          "%s is not usable: expected %s.".formatted(setting, format.expected()));
    }
    if (property.isEmpty()) {
      warnings.add(
          "%s=%s is not usable (expected %s); using the default %s"
              .formatted(setting, value, format.expected(), setting.byDefault()));
    } else if (format == SettingFormat.DAYS && format.parse(value + "d").isEmpty()) {
      warnings.add(
          "%s=%s is not from 1 to 10000 days; using %s".formatted(setting, value, property.get()));
    }
    return property;
  }

  /** Refuses the start for a name that begins with {@code muster.} and is not a setting. */
  static void refuseUnknown(String name) {
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

  /** Elements of a list, such as {@code muster.agent-url.allow[0]}, belong to the list. */
  private static boolean isKnown(ConfigurationPropertyName name) {
    ConfigurationPropertyName list = name.isLastElementIndexed() ? name.getParent() : name;
    return Setting.ofMuster()
        .map(setting -> ConfigurationPropertyName.of(setting.property()))
        .anyMatch(list::equals);
  }
}
