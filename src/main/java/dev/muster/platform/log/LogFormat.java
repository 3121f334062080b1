package dev.muster.platform.log;

import dev.muster.platform.settings.ContractVariables;
import dev.muster.platform.settings.Setting;
import dev.muster.platform.settings.SettingChecks;
import java.util.List;
import java.util.Map;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.core.Ordered;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertyResolver;

/**
 * Applies {@code LOG_FORMAT}: text lines, or one JSON object per line (ECS).
 *
 * <p>This setting is read before the other tuning settings, because it must be known before logging
 * starts.
 */
public final class LogFormat implements EnvironmentPostProcessor, SettingChecks, Ordered {

  private static final String TEXT = Setting.LOG_FORMAT.byDefault();
  private static final String JSON = "json";
  private static final String OF_SPRING = Setting.LOG_FORMAT.property();

  /**
   * Returns whether the log has a format for collectors, such as JSON. Collectors keep log lines,
   * so tokens must not be in them.
   */
  public static boolean isStructured(PropertyResolver environment) {
    return ContractVariables.text(environment, OF_SPRING).isPresent();
  }

  @Override
  public void postProcessEnvironment(
      ConfigurableEnvironment environment, SpringApplication application) {
    if (format(environment).equalsIgnoreCase(JSON)) {
      environment
          .getPropertySources()
          .addLast(new MapPropertySource("log format", Map.of(OF_SPRING, "ecs")));
    }
  }

  @Override
  public List<String> warnings(Environment environment) {
    String format = format(environment);
    return format.equalsIgnoreCase(TEXT) || format.equalsIgnoreCase(JSON)
        ? List.of()
        : List.of(
            "LOG_FORMAT=%s is not usable (expected text or json); using the default text"
                .formatted(format.replaceAll("\\p{Cntrl}", " ")));
  }

  private static String format(PropertyResolver environment) {
    return ContractVariables.text(environment, Setting.LOG_FORMAT.name()).orElse(TEXT);
  }

  /** Runs after the property sources of all settings are present. */
  @Override
  public int getOrder() {
    return Ordered.LOWEST_PRECEDENCE;
  }
}
