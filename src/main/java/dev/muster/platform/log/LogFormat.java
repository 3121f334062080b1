package dev.muster.platform.log;

import dev.muster.platform.settings.Settings;
import java.util.Locale;
import java.util.Map;
import org.apache.commons.logging.Log;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.logging.DeferredLogFactory;
import org.springframework.core.Ordered;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/**
 * {@code LOG_FORMAT}: lines for people, or one JSON object a line (ECS) for collectors. Read here
 * and not as other tuning settings are, since there is no log yet when it has to be known.
 */
public final class LogFormat implements EnvironmentPostProcessor, Ordered {

  private static final String SETTING = "LOG_FORMAT";
  private static final String JSON = "json";
  private static final String OF_SPRING = "logging.structured.format.console";

  private final Log log;

  LogFormat(DeferredLogFactory logs) {
    this.log = logs.getLog(LogFormat.class);
  }

  /** Whether the log is for collectors, which keep it where a token does not belong. */
  public static boolean isJson(Settings settings) {
    return settings.text(SETTING).filter(JSON::equalsIgnoreCase).isPresent();
  }

  @Override
  public void postProcessEnvironment(
      ConfigurableEnvironment environment, SpringApplication application) {
    String format = new Settings(environment).text(SETTING).orElse("text");
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

  /** After the sources of all settings. */
  @Override
  public int getOrder() {
    return Ordered.LOWEST_PRECEDENCE;
  }
}
