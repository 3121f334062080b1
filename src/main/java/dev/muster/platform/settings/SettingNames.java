package dev.muster.platform.settings;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;

/**
 * Finds names of variables, properties and options that are probably misspelt settings ({@code
 * docs/api.md}, section 12).
 */
public final class SettingNames {

  private static final List<String> KNOWN =
      Arrays.stream(Setting.values()).map(Setting::name).sorted().toList();

  private static final String PREFIX = "MUSTER_";

  /** Prefixes of the variables that orchestrators set for a service named "muster". */
  private static final List<String> OF_ORCHESTRATORS = List.of("MUSTER_SERVICE_", "MUSTER_PORT");

  private static final Set<String> OF_THE_AGENT_PROGRAM =
      Set.of(
          "MUSTER_URL",
          "MUSTER_TOKEN",
          "MUSTER_TOKEN_FILE",
          "MUSTER_WORKSPACE_ID",
          "MUSTER_STATE_DIR",
          "MUSTER_NAME",
          "MUSTER_EXEC",
          "MUSTER_EXEC_TIMEOUT",
          "MUSTER_QUIET",
          "MUSTER_PARENT_DELEGATION");

  private static final int MAX_NAME_LENGTH = 64;

  private SettingNames() {}

  /** Returns a warning for each variable and property that looks like a misspelt setting. */
  static List<String> warnings(ConfigurableEnvironment environment) {
    return Stream.concat(
            warnings(environment.getSystemEnvironment()).stream(),
            warnings(givenProperties(environment)).stream())
        .toList();
  }

  /**
   * Says what is wrong with an option of the command line; empty for a setting as {@code
   * --NAME=value} and for a property. Never tells the value.
   */
  public static Optional<String> wrongOption(String option) {
    int end = option.indexOf('=');
    String stated = end < 0 ? option : option.substring(0, end);
    String name = stated.replaceFirst("^--?", "");
    boolean isSetting = KNOWN.contains(name) || isProperty(name) || name.contains(".");
    return isSetting && end > 0 && option.startsWith("--")
        ? Optional.empty()
        : Optional.of(
            "%s is not an option (expected: a setting as --NAME=value, such as --SERVER_PORT=8081)%s"
                .formatted(shown(stated), didYouMean(nearest(name))));
  }

  /** Returns all names in alphabetical order. */
  public static Collection<String> all() {
    return KNOWN;
  }

  /**
   * Returns the names of properties from all sources but the environment, in alphabetical order.
   *
   * <p>These sources are the command line, files and system properties.
   */
  static Set<String> givenProperties(ConfigurableEnvironment environment) {
    Set<String> names = new TreeSet<>();
    for (PropertySource<?> source : environment.getPropertySources()) {
      if (source instanceof EnumerablePropertySource<?> listed
          && !source
              .getName()
              .equals(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME)) {
        names.addAll(Set.of(listed.getPropertyNames()));
      }
    }
    return names;
  }

  /** Returns a warning for each variable that looks like a misspelt setting; never its value. */
  static List<String> warnings(Map<String, ?> variables) {
    return warnings("environment variable", variables.keySet());
  }

  /** Returns the same warnings for properties; a name with a dot is never taken for a setting. */
  static List<String> warnings(Collection<String> properties) {
    return warnings("property", properties.stream().filter(name -> !name.contains(".")).toList());
  }

  private static List<String> warnings(String kind, Collection<String> names) {
    List<String> warnings = new ArrayList<>();
    for (String name : new TreeSet<>(names)) {
      if (KNOWN.contains(name)
          || OF_THE_AGENT_PROGRAM.contains(name)
          || isProperty(name)
          || OF_ORCHESTRATORS.stream().anyMatch(name::startsWith)) {
        continue;
      }
      Optional<String> meant = nearest(name);
      if (meant.isPresent() || name.startsWith(PREFIX)) {
        warnings.add(
            "the %s %s is not a setting of Muster and is ignored%s"
                .formatted(kind, shown(name), didYouMean(meant)));
      }
    }
    return warnings;
  }

  /** Tells whether Spring reads the variable as a property, as MUSTER_LIVENESS_SWEEPINTERVAL. */
  private static boolean isProperty(String variable) {
    String letters = variable.replace("_", "");
    return Setting.ofMuster()
        .map(setting -> setting.property().replaceAll("[.-]", ""))
        .anyMatch(letters::equalsIgnoreCase);
  }

  /** Returns the most similar variable; dots and dashes count as underscores. */
  static Optional<String> nearest(String name) {
    return Misspelling.nearest(
        name.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_'), KNOWN);
  }

  /**
   * Returns the most similar property of Muster, or else the variable that is most similar to the
   * name or to its longest matching end.
   */
  static Optional<String> nearestProperty(String name) {
    Optional<String> property =
        Misspelling.nearest(
            name.toLowerCase(Locale.ROOT), Setting.ofMuster().map(Setting::property).toList());
    Stream<String> ends =
        Stream.iterate(name, end -> end.contains("."), SettingNames::withoutFirstWord)
            .map(SettingNames::withoutFirstWord);
    return property.or(() ->
        Stream.concat(Stream.of(name), ends).flatMap(end -> nearest(end).stream()).findFirst());
  }

  private static String withoutFirstWord(String name) {
    return name.substring(name.indexOf('.') + 1);
  }

  /** Returns the name, cut to 64 characters for the log. */
  static String shown(String name) {
    return name.substring(0, Math.min(name.length(), MAX_NAME_LENGTH));
  }

  static String didYouMean(Optional<String> meant) {
    return meant.map(near -> "; did you mean " + near + "?").orElse("");
  }
}
