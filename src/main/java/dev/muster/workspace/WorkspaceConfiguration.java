package dev.muster.workspace;

import dev.muster.platform.postgres.DatabaseChoice;
import dev.muster.platform.settings.Settings;
import dev.muster.workspace.agenturl.AddressClass;
import dev.muster.workspace.agenturl.AgentUrlGuard;
import java.util.Set;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The registry's settings; what listens on loopback for one person is more open by default than
 * what serves a network.
 */
@Configuration(proxyBeanMethods = false)
class WorkspaceConfiguration {

  @Bean
  WorkspaceSettings workspaceSettings(Settings settings, DatabaseChoice database) {
    return WorkspaceSettings.from(settings, database.isEmbedded());
  }

  @Bean
  Cadence cadence(Settings settings) {
    return Cadence.from(settings);
  }

  @Bean
  AgentUrlGuard agentUrlGuard(Settings settings, DatabaseChoice database) {
    Set<AddressClass> byDefault = database.isEmbedded() ? Set.of(AddressClass.LOOPBACK) : Set.of();
    return AgentUrlGuard.withSystemResolver(
        settings.security("AGENT_URL_ALLOW", byDefault, AddressClass::parseAllowed));
  }
}
