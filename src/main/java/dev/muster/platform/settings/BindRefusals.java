package dev.muster.platform.settings;

import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/**
 * Refuses the start with one sentence when a property {@code muster.*} has a bad value. The
 * sentence does not contain the value, which may be a secret.
 */
@Component
final class BindRefusals implements ConfigurationPropertiesBindHandlerAdvisor {

  @Override
  public BindHandler apply(BindHandler handler) {
    return new Checking(handler);
  }

  /** Reads one property before there are beans; refuses the start when its value is bad. */
  static <T> T read(Environment environment, Setting setting, Class<T> type) {
    return Binder.get(environment, new Checking(BindHandler.DEFAULT))
        .bind(setting.property(), Bindable.of(type))
        .get();
  }

  private static Optional<Setting> setting(ConfigurationPropertyName name) {
    return Arrays.stream(Setting.values())
        .filter(Setting::isOfMuster)
        .filter(one -> ConfigurationPropertyName.of(one.property()).equals(name))
        .findFirst();
  }

  private static final class Checking extends AbstractBindHandler {

    Checking(BindHandler parent) {
      super(parent);
    }

    @Override
    public @Nullable Object onSuccess(
        ConfigurationPropertyName name, Bindable<?> target, BindContext context, Object result) {
      setting(name)
          .filter(setting -> !setting.format().isInRange(result))
          .ifPresent(setting -> {
            throw refusal(setting);
          });
      return super.onSuccess(name, target, context, result);
    }

    @Override
    public @Nullable Object onFailure(
        ConfigurationPropertyName name, Bindable<?> target, BindContext context, Exception error)
        throws Exception {
      Optional<Setting> setting = setting(name);
      if (setting.isPresent() && !(error instanceof StartRefusedException)) {
        throw refusal(setting.get());
      }
      return super.onFailure(name, target, context, error);
    }

    private static StartRefusedException refusal(Setting setting) {
      return new StartRefusedException(
          "The property %s is not usable: expected %s."
              .formatted(setting.property(), setting.format().expectedOfProperty()));
    }
  }
}
