package dev.muster.workspace;

import dev.muster.platform.postgres.DatabaseMode;
import dev.muster.platform.settings.SecuritySettings;
import dev.muster.platform.settings.SettingChecks;
import dev.muster.workspace.agenturl.AgentUrlGuard;
import java.util.List;
import java.util.function.Supplier;
import org.springframework.core.env.Environment;

/** Checks {@code REGISTRATION} and {@code AGENT_URL_ALLOW}. */
final class WorkspaceSettingChecks implements SettingChecks {

  @Override
  public List<Supplier<?>> parsers(SecuritySettings texts, Environment environment) {
    DatabaseMode database = DatabaseMode.of(environment);
    return List.of(
        () -> RegistrationGate.isOpen(texts, database), () -> AgentUrlGuard.of(texts, database));
  }
}
