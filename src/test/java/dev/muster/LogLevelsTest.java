package dev.muster;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

import dev.muster.testing.TestServer;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.YamlPropertiesFactoryBean;
import org.springframework.core.io.ClassPathResource;
import org.springframework.web.servlet.DispatcherServlet;

/** The levels in {@code application.yaml} have an effect. */
@Execution(ExecutionMode.CONCURRENT)
class LogLevelsTest {

  private static final Pattern KEY = Pattern.compile("logging\\.level(?:\\.|\\[)([^]]+)]?");

  private static final Pattern CLASS = Pattern.compile("([a-z0-9]+\\.)+[A-Z]\\w*(\\$\\w+)?");

  /** A renamed class would log again what is off. */
  @Test
  void namesExistingClasses() {
    assertThat(levels().keySet())
        .filteredOn(name -> CLASS.matcher(name).matches())
        .filteredOn(name -> !name.equals(DispatcherServlet.PAGE_NOT_FOUND_LOG_CATEGORY))
        .hasSizeGreaterThan(4)
        .allSatisfy(name ->
            assertThatNoException()
                .isThrownBy(() -> Class.forName(name, false, getClass().getClassLoader())));
  }

  @Test
  void areThoseOfAServer() throws Exception {
    try (TestServer _ = TestServer.start()) {
      levels()
          .forEach((name, level) ->
              assertThat(LoggerFactory.getLogger(name).isErrorEnabled())
                  .as(name)
                  .isEqualTo(!level.equals("off")));
    }
  }

  private static Map<String, String> levels() {
    YamlPropertiesFactoryBean yaml = new YamlPropertiesFactoryBean();
    yaml.setResources(new ClassPathResource("application.yaml"));
    Properties properties = Objects.requireNonNull(yaml.getObject());
    return properties.stringPropertyNames().stream()
        .map(KEY::matcher)
        .filter(Matcher::matches)
        .collect(toMap(key -> key.group(1), key -> properties.getProperty(key.group())));
  }
}
