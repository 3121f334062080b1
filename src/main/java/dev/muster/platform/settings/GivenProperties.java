package dev.muster.platform.settings;

import java.util.Set;
import java.util.TreeSet;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;

/**
 * Lists the names of properties from all sources but the environment, in alphabetical order.
 *
 * <p>These sources are the command line, files and system properties.
 */
final class GivenProperties {

  private GivenProperties() {}

  static Set<String> of(ConfigurableEnvironment environment) {
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
}
