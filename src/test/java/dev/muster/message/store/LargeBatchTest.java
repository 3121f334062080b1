package dev.muster.message.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.message.AppendResult;
import dev.muster.message.NewActivity;
import dev.muster.platform.text.RawJson;
import dev.muster.protocol.MessageContent;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/** One statement stores many rows, whose values it reads in parts. */
class LargeBatchTest {

  private static final int ROWS = 200;

  private static final TestServer SERVER = TestServer.shared();

  @Test
  void storesEachRowWithItsOwnValues() {
    List<Agent> agents =
        List.of(
            SERVER.client().create("First", "\"delivery_mode\":\"poll\""),
            SERVER.client().create("Second", "\"delivery_mode\":\"poll\""));
    List<NewActivity> rows = new ArrayList<>();
    for (int i = 0; i < ROWS; i++) {
      rows.add(row(agents.get(i % agents.size()), i));
    }

    List<AppendResult> appended =
        SERVER
            .bean(TransactionTemplate.class)
            .execute(_ -> SERVER.bean(MessageStore.class).appendAll(rows));

    for (int i = 0; i < ROWS; i++) {
      long seq = ((AppendResult.Stored) appended.get(i)).seq();
      assertThat(stored(agents.get(i % agents.size()), seq))
          .isEqualTo("row " + i + " {\"n\":" + i + "}");
    }
  }

  private static NewActivity row(Agent agent, int number) {
    return NewActivity.inbound(
        agent.id(),
        null,
        "message/send",
        "row " + number,
        new RawJson("{\"n\":" + number + "}"),
        MessageContent.EMPTY,
        null);
  }

  private static String stored(Agent agent, long seq) {
    return SERVER
        .bean(JdbcClient.class)
        .sql(
            "SELECT summary || ' ' || request_body FROM activity_logs WHERE workspace_id = :id AND"
                + " seq = :seq")
        .param("id", agent.id())
        .param("seq", seq)
        .query(String.class)
        .single();
  }
}
