package dev.muster.workspace;

import dev.muster.platform.postgres.DatabaseMode;
import dev.muster.platform.settings.SecuritySettings;
import dev.muster.workspace.agenturl.AgentUrlGuard;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Configures the registry. */
@Configuration(proxyBeanMethods = false)
class WorkspaceConfiguration {

  @Bean
  AgentUrlGuard agentUrlGuard(SecuritySettings settings, DatabaseMode database) {
    return AgentUrlGuard.of(settings, database);
  }
}
