package dev.muster.workspace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.workspace.DeliveryCapacities.DeliveryCapacity;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How many messages may be delivered to a workspace at once (R7.6). */
class DeliveryCapacityTest {

  private static final String URL = "http://127.0.0.1:9/";

  private static int places(
      WorkspaceStatus status, DeliveryMode mode, String url, int most, int active) {
    return new DeliveryCapacity(UUID.randomUUID(), status, mode, url, most, active).freeSlots();
  }

  @ParameterizedTest
  @EnumSource(WorkspaceStatus.class)
  void isZeroUnlessOnlineOrDegraded(WorkspaceStatus status) {
    boolean isHere = status == WorkspaceStatus.ONLINE || status == WorkspaceStatus.DEGRADED;
    assertThat(places(status, DeliveryMode.PUSH, URL, 2, 0)).isEqualTo(isHere ? 2 : 0);
  }

  @Test
  void isReducedByItsTasks() {
    assertThat(places(WorkspaceStatus.ONLINE, DeliveryMode.PUSH, URL, 3, 1)).isEqualTo(2);
    assertThat(places(WorkspaceStatus.ONLINE, DeliveryMode.PUSH, URL, 3, 3)).isZero();
    assertThat(places(WorkspaceStatus.ONLINE, DeliveryMode.PUSH, URL, 3, 9)).isZero();
  }

  @Test
  void isZeroForAPushAgentWithoutAUrl() {
    assertThat(places(WorkspaceStatus.ONLINE, DeliveryMode.PUSH, "", 1, 0)).isZero();
    assertThat(places(WorkspaceStatus.ONLINE, DeliveryMode.POLL, "", 1, 0)).isEqualTo(1);
  }
}
