package dev.muster.workspace;

import dev.muster.platform.postgres.DatabaseMode;
import dev.muster.platform.settings.Settings;
import dev.muster.workspace.agenturl.AddressClass;
import dev.muster.workspace.agenturl.AgentUrlGuard;
import java.util.Set;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Configures the registry. The embedded mode is more open by default, because it serves one person
 * on loopback.
 */
@Configuration(proxyBeanMethods = false)
class WorkspaceConfiguration {

  @Bean
  WorkspaceSettings workspaceSettings(Settings settings, DatabaseMode database) {
    return WorkspaceSettings.from(settings, database.isEmbedded());
  }

  @Bean
  HeartbeatCadence cadence(Settings settings) {
    return HeartbeatCadence.from(settings);
  }

  @Bean
  AgentUrlGuard agentUrlGuard(Settings settings, DatabaseMode database) {
    Set<AddressClass> byDefault = database.isEmbedded() ? Set.of(AddressClass.LOOPBACK) : Set.of();
    return AgentUrlGuard.withSystemResolver(
        settings.security("AGENT_URL_ALLOW", byDefault, AddressClass::parseAllowed));
  }
}
