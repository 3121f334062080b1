package dev.muster.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.platform.settings.Settings;
import dev.muster.platform.settings.StartRefusedException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.env.MockEnvironment;

/** The registry's settings, and the rhythm that agents are told (R4.1, section 12). */
class WorkspaceSettingsTest {

  private final MockEnvironment environment = new MockEnvironment();
  private final Settings settings = new Settings(environment);

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void letAnybodyRegisterOnlyWhereTheDatabaseIsOurOwn(boolean embedded) {
    assertThat(WorkspaceSettings.from(settings, embedded))
        .isEqualTo(new WorkspaceSettings(embedded, false, false));
  }

  @Test
  void areEachReadUnderItsName() {
    environment.withProperty("REGISTRATION", "open");
    assertThat(WorkspaceSettings.from(settings, false))
        .isEqualTo(new WorkspaceSettings(true, false, false));

    environment.withProperty("REGISTRATION", "closed").withProperty("PUBLIC_WORKSPACE_READ", "1");
    assertThat(WorkspaceSettings.from(settings, true))
        .isEqualTo(new WorkspaceSettings(false, true, false));

    environment.withProperty("PUBLIC_WORKSPACE_READ", "0").withProperty("ROOTS_ARE_SIBLINGS", "on");
    assertThat(WorkspaceSettings.from(settings, true))
        .isEqualTo(new WorkspaceSettings(false, false, true));
  }

  @Test
  void refuseAWordThatIsNotInTheTable() {
    environment.withProperty("REGISTRATION", "Open");

    assertThatThrownBy(() -> WorkspaceSettings.from(settings, true))
        .isInstanceOf(StartRefusedException.class)
        .hasMessage("REGISTRATION is not usable: expected open or closed.");
  }

  @Test
  void tellAgentsTheirRhythm() {
    assertThat(HeartbeatCadence.from(settings)).isEqualTo(new HeartbeatCadence(30, 180, 60));

    environment.withProperty("HEARTBEAT_INTERVAL_S", "3").withProperty("STALE_AFTER_S", "9");
    assertThat(HeartbeatCadence.from(settings)).isEqualTo(new HeartbeatCadence(3, 9, 60));
  }
}
