package dev.muster.platform.settings;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Refuses the start when a file or the command line gives a property {@code muster.…}: whoever
 * writes one means Muster, and no setting has such a name (contract, section 12).
 */
final class UnknownProperties
    implements ApplicationContextInitializer<ConfigurableApplicationContext> {

  private static final String PREFIX = "muster.";

  @Override
  public void initialize(ConfigurableApplicationContext context) {
    refuse(GivenProperties.of(context.getEnvironment()));
  }

  /** For the first of these names that begins as none may. */
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

  /** {@code muster.heartbeat.stale-after}: of its ends, the longest that is near to a setting. */
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
