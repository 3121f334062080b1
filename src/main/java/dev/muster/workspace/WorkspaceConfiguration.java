package dev.muster.workspace;

import dev.muster.platform.postgres.DatabaseMode;
import dev.muster.platform.settings.SecuritySettings;
import dev.muster.platform.settings.Setting;
import dev.muster.workspace.agenturl.AddressClass;
import dev.muster.workspace.agenturl.AgentUrlGuard;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Configures the registry. The embedded mode is more open by default, because it serves one person
 * on loopback.
 */
@Configuration(proxyBeanMethods = false)
class WorkspaceConfiguration {

  @Bean
  AgentUrlGuard agentUrlGuard(SecuritySettings settings, DatabaseMode database) {
    @Nullable List<String> given = settings.agentUrl().allow();
    Set<AddressClass> byDefault = database.isEmbedded() ? Set.of(AddressClass.LOOPBACK) : Set.of();
    return AgentUrlGuard.withSystemResolver(
        given == null
            ? byDefault
            : Setting.AGENT_URL_ALLOW.parse(() -> AddressClass.parseAllowed(given)));
  }
}
