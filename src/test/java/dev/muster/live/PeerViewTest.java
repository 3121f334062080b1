package dev.muster.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.event.EventType;
import dev.muster.event.LastValue;
import dev.muster.platform.text.RawJson;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which events peers see, and which of their fields (R10.3). */
class PeerViewTest {

  @Test
  void coversEveryType() {
    assertThat(Arrays.stream(EventType.values()).map(EventType::name))
        .filteredOn(PeerView::showsRecorded)
        .containsExactly(
            "WORKSPACE_AWAITING_AGENT",
            "WORKSPACE_ONLINE",
            "WORKSPACE_DEGRADED",
            "WORKSPACE_OFFLINE",
            "WORKSPACE_STALLED",
            "WORKSPACE_STALL_ENDED",
            "WORKSPACE_PAUSED",
            "WORKSPACE_UPDATED",
            "WORKSPACE_REMOVED",
            "AGENT_CARD_UPDATED");
    assertThat(PeerView.showsRecorded("OF_A_LATER_VERSION")).isFalse();
    assertThat(LastValue.Kind.values())
        .filteredOn(PeerView::shows)
        .containsExactly(LastValue.Kind.WORKSPACE_HEARTBEAT);
  }

  @Test
  void keepsVisibleFieldsByteForByte() {
    String card =
        "{ \"n\": 1.50e+0, \"agent_card\":\"\\u0041\\\"}{\", \"a\":[ {\"url\":1}, -0 ]\n}";
    RawJson whole =
        new RawJson(
            "{\"role\":\"secret\", \"status\" : \"online\",\"x\":[1,{\"name\":\"inner\"}],"
                + "\"previous_status\":null,\"stalled_since\":\"t\",\"active_tasks\":12,\"current_task\":\"secret\","
                + "\"agent_card\":"
                + card
                + ",\"url\":\"\",\"uptime_seconds\":3.5}");
    assertThat(PeerView.reduced(whole).text())
        .isEqualTo(
            "{\"status\":\"online\",\"previous_status\":null,\"stalled_since\":\"t\",\"active_tasks\":12,\"agent_card\":"
                + card
                + ",\"url\":\"\"}");
    assertThat(PeerView.reduced(new RawJson("{}")).text()).isEqualTo("{}");
    assertThat(PeerView.reduced(new RawJson("{\"role\":\"secret\"}")).text()).isEqualTo("{}");
  }

  @Test
  void readsPayloadsLargerThanRequests() {
    String deep = "[".repeat(2000) + "]".repeat(2000);
    String longNumber = "7".repeat(5000);
    String card = "{\"deep\":" + deep + ",\"long\":" + longNumber + "}";
    assertThat(PeerView.reduced(new RawJson("{\"x\":1,\"agent_card\":" + card + "}")).text())
        .isEqualTo("{\"agent_card\":" + card + "}");
  }

  @Test
  void keepsVisibleFieldsOfALastValue() {
    Map<String, @Nullable Object> heartbeat = new LinkedHashMap<>();
    heartbeat.put("active_tasks", 2);
    heartbeat.put("uptime_seconds", 7);
    heartbeat.put("name", null);
    assertThat(PeerView.reduced(heartbeat).toString()).isEqualTo("{active_tasks=2, name=null}");
  }
}
