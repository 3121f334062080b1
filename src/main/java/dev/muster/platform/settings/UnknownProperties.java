package dev.muster.platform.settings;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Refuses the start when a property begins with {@code muster.}.
 *
 * <p>No setting has such a name ({@code docs/api.md}, section 12), so it is a mistake. Checks
 * files, the command line and system properties.
 */
final class UnknownProperties
    implements ApplicationContextInitializer<ConfigurableApplicationContext> {

  private static final String PREFIX = "muster.";

  @Override
  public void initialize(ConfigurableApplicationContext context) {
    refuse(GivenProperties.of(context.getEnvironment()));
  }

  /** Refuses the start for the first name that begins with {@code muster.}. */
  static void refuse(Collection<String> names) {
    names.stream()
        .filter(name -> name.toLowerCase(Locale.ROOT).startsWith(PREFIX))
        .findFirst()
        .ifPresent(name -> {
          throw new StartRefusedException(
              "The property %s is not a setting of Muster%s"
                  .formatted(
                      SettingNames.shown(name),
                      nearest(name)
                          .map(near -> SettingNames.didYouMean(Optional.of(near)))
                          .orElse("; --help lists all of them.")));
        });
  }

  /**
   * Returns the setting most similar to the name or to its longest matching suffix.
   *
   * <p>Example of a name: {@code muster.heartbeat.stale-after}.
   */
  private static Optional<String> nearest(String name) {
    Stream<String> ends =
        Stream.iterate(name, end -> end.contains("."), UnknownProperties::withoutFirstWord)
            .map(UnknownProperties::withoutFirstWord);
    return Stream.concat(Stream.of(name), ends)
        .flatMap(end -> SettingNames.nearest(end).stream())
        .findFirst();
  }

  private static String withoutFirstWord(String name) {
    return name.substring(name.indexOf('.') + 1);
  }
}
