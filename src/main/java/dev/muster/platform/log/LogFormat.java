package dev.muster.platform.log;

import dev.muster.platform.settings.ContractVariables;
import java.util.Locale;
import java.util.Map;
import org.apache.commons.logging.Log;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.logging.DeferredLogFactory;
import org.springframework.core.Ordered;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertyResolver;

/**
 * Applies {@code LOG_FORMAT}: text lines, or one JSON object per line (ECS).
 *
 * <p>This setting is read before the other tuning settings, because it must be known before logging
 * starts.
 */
public final class LogFormat implements EnvironmentPostProcessor, Ordered {

  private static final String SETTING = "LOG_FORMAT";
  private static final String JSON = "json";
  private static final String OF_SPRING = "logging.structured.format.console";

  private final Log log;

  LogFormat(DeferredLogFactory logs) {
    this.log = logs.getLog(LogFormat.class);
  }

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
    String format = ContractVariables.text(environment, SETTING).orElse("text");
    switch (format.toLowerCase(Locale.ROOT)) {
      case "text" -> {}
      case JSON ->
          environment
              .getPropertySources()
              .addLast(new MapPropertySource("log format", Map.of(OF_SPRING, "ecs")));
      default ->
          log.warn(
              SETTING
                  + "="
                  + oneLine(format)
                  + " is not usable (expected text or json); using the default text");
    }
  }

  private static String oneLine(String value) {
    return value.replaceAll("\\p{Cntrl}", " ");
  }

  /** Runs after the property sources of all settings are present. */
  @Override
  public int getOrder() {
    return Ordered.LOWEST_PRECEDENCE;
  }
}
