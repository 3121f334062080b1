package dev.muster.platform.settings;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.muster.platform.text.Redaction;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.CommandLinePropertySource;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.stereotype.Component;

/**
 * Shows the values of all settings to operators, without secrets. It shows a text only if that text
 * cannot be a secret, and of an address only the host, the port and the database.
 */
@Component
public final class EffectiveSettings {

  private static final String SET = "set, not shown";

  /** Matches an address; its only group leaves out the user, the password and the parameters. */
  private static final Pattern DATABASE =
      Pattern.compile(
          "(?:jdbc:)?postgres(?:ql)?://(?:[^@/?]*@)?(?<place>[\\w.:,\\[\\]-]*(?:/[\\w.%-]*)?)(?:\\?.*)?");

  /**
   * A setting as operators see it.
   *
   * @param value in the unit of the variable; null if it is not set and has no fixed default
   * @param byDefault the default, or a description of it
   * @param source where the value was given: environment, command line, system property, file, or
   *     default
   */
  public record Shown(
      String name,
      @Nullable String value,
      @JsonProperty("default") String byDefault,
      String source,
      String description) {}

  private final ConfigurableEnvironment environment;

  EffectiveSettings(ConfigurableEnvironment environment) {
    this.environment = environment;
  }

  /** Returns all settings, in the order of the page of settings. */
  public List<Shown> all() {
    return Arrays.stream(Setting.values()).map(this::shown).toList();
  }

  private Shown shown(Setting setting) {
    Optional<String> source = source(setting);
    Optional<String> value =
        source.flatMap(_ -> value(setting)).map(text -> visible(setting, text));
    String byDefault = plain(setting.byDefault());
    @Nullable String otherwise = setting.kind() == Setting.Kind.TUNING ? byDefault : null;
    return new Shown(
        setting.name(),
        value.orElse(otherwise),
        byDefault,
        value.isPresent() ? source.orElseThrow() : "default",
        plain(setting.description()));
  }

  /** Removes the marks of Markdown. */
  private static String plain(String markdown) {
    return markdown.replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1").replace("`", "");
  }

  private static String visible(Setting setting, String value) {
    return switch (setting) {
      case DATABASE_URL -> database(value);
      case WEBHOOK_URL -> host(value);
      default ->
          switch (setting.format()) {
            case TEXT -> SET;
            case OPEN_TEXT -> Redaction.redact(value);
            default -> value;
          };
    };
  }

  private static String database(String url) {
    Matcher parts = DATABASE.matcher(url.strip());
    return parts.matches() ? "postgresql://" + parts.group("place") : SET;
  }

  private static String host(String url) {
    try {
      URI parts = new URI(url.strip());
      String port = parts.getPort() < 0 ? "" : ":" + parts.getPort();
      return parts.getHost() == null
          ? SET
          : parts.getScheme() + "://" + parts.getHost() + port + "/…";
    } catch (URISyntaxException notAnAddress) {
      return SET;
    }
  }

  /**
   * Returns the name of the source that gives the setting. Of variables in several sources the
   * start takes the first, usable or not.
   */
  private Optional<String> source(Setting setting) {
    boolean isVariableRead = false;
    for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
      Optional<String> words = words(source.getUnderlyingSource());
      if (words.isEmpty()) {
        continue;
      }
      String variable = isVariableRead ? "" : variable(setting, source);
      isVariableRead |= !variable.isEmpty();
      boolean isGiven =
          variable.isEmpty()
              ? hasProperty(setting, source)
              : setting.format().toProperty(variable).isPresent();
      if (isGiven) {
        return words;
      }
    }
    return Optional.empty();
  }

  private static String variable(Setting setting, ConfigurationPropertySource source) {
    return source.getUnderlyingSource() instanceof PropertySource<?> raw
        ? Objects.toString(raw.getProperty(setting.name()), "").strip()
        : "";
  }

  private static boolean hasProperty(Setting setting, ConfigurationPropertySource source) {
    ConfigurationPropertyName name = ConfigurationPropertyName.of(setting.property());
    return source.getConfigurationProperty(name) != null
        || source.getConfigurationProperty(name.append("[0]")) != null;
  }

  private Optional<String> value(Setting setting) {
    if (!setting.isOfMuster()) {
      return ContractVariables.text(environment, setting.name())
          .or(() -> ContractVariables.text(environment, setting.property()));
    }
    String text =
        String.join(
            ",",
            Binder.get(environment)
                .bind(setting.property(), Bindable.listOf(String.class))
                .orElse(List.of()));
    return text.isBlank()
        ? Optional.empty()
        : setting.format().parse(text).map(setting.format()::toVariable);
  }

  /** Returns the name of the source; empty for a source of the program itself. */
  private static Optional<String> words(@Nullable Object source) {
    if (!(source instanceof PropertySource<?> known)) {
      return Optional.empty();
    }
    String name = Objects.requireNonNullElse(known.getName(), "");
    if (name.equals(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME)) {
      return Optional.of("environment");
    }
    if (name.equals(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME)) {
      return Optional.of("system property");
    }
    if (known instanceof CommandLinePropertySource<?>) {
      return Optional.of("command line");
    }
    return name.startsWith("Config resource") && !name.contains("class path resource")
        ? Optional.of("file")
        : Optional.empty();
  }
}
