package dev.muster.platform.settings;

import java.util.List;
import java.util.function.Supplier;
import org.springframework.core.env.Environment;

/**
 * What a module checks in settings beyond their formats, before anything begins: at each start, and
 * for {@code muster doctor} without one.
 *
 * <p>Implementations are listed in {@code META-INF/spring.factories}. They call the code by which
 * the module reads the setting, so that both decide alike.
 */
public interface SettingChecks {

  /**
   * Returns what parses each of the module's texts.
   *
   * @return each refuses a bad text with a {@link StartRefusedException}
   */
  default List<Supplier<?>> parsers(SecuritySettings texts, Environment environment) {
    return List.of();
  }

  /** Returns a clause for each value that is replaced by its default, without a secret. */
  default List<String> warnings(Environment environment) {
    return List.of();
  }
}
