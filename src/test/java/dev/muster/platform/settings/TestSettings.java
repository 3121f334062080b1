package dev.muster.platform.settings;

import java.util.Objects;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.mock.env.MockEnvironment;

/** Reads records of settings as at a start. */
public final class TestSettings {

  private TestSettings() {}

  /** Each of {@code given} is a variable or a property with its value, {@code NAME=value}. */
  public static <T> T read(Class<T> type, String... given) {
    MockEnvironment environment = new MockEnvironment();
    for (String one : given) {
      String[] nameAndValue = one.split("=", 2);
      environment.setProperty(nameAndValue[0], nameAndValue[1]);
    }
    ContractVariables.apply(environment);
    String prefix =
        Objects.requireNonNull(type.getAnnotation(ConfigurationProperties.class)).value();
    return Binder.get(environment).bindOrCreate(prefix, type);
  }
}
