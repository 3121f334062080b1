package dev.muster.platform.http;

import dev.muster.platform.settings.SecuritySettings;
import dev.muster.platform.settings.SettingChecks;
import java.util.List;
import java.util.function.Supplier;
import org.springframework.core.env.Environment;

/** Checks where the server listens, and whom it answers. */
final class HttpSettingChecks implements SettingChecks {

  @Override
  public List<Supplier<?>> parsers(SecuritySettings texts, Environment environment) {
    return List.of(
        () -> ListenAddress.port(environment),
        () -> ListenAddress.host(environment),
        () -> PublicUrl.configured(texts),
        () -> HostAndOriginFilter.allowed(texts),
        () -> AllowedOrigins.allowed(texts));
  }
}
