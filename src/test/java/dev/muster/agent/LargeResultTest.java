package dev.muster.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestClient.Agent;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import tools.jackson.databind.json.JsonMapper;

/** A task's result may be larger than the body of a report (R0.7, R8.7). */
@Timeout(60)
@Execution(ExecutionMode.CONCURRENT)
class LargeResultTest {

  private static final String LARGE = "well ".repeat(60_000);

  private final Agent boss = AgentServer.CLIENT.create("Boss");
  private final Agent clerk =
      AgentServer.CLIENT.create("Clerk", "\"parent_id\":\"" + boss.id() + "\"");
  private final AgentClient bosss = AgentServer.client(boss);
  private final AgentClient clerks = AgentServer.client(clerk);
  private final String id = "d-" + clerk.id();

  @BeforeEach
  void delegate() {
    bosss.recordDelegation(clerk.id().toString(), "a long one", id);
  }

  @Test
  void completesTheDelegationWithTheWholeText() {
    report();

    assertThat(bosss.delegation(id, Duration.ZERO))
        .satisfies(now -> assertThat(now.status()).isEqualTo("completed"))
        .satisfies(now -> assertThat(now.result()).isEqualTo(LARGE));
    assertThat(accepted())
        .singleElement()
        .satisfies(one -> {
          assertThat(one.sourceId()).isEqualTo(clerk.id().toString());
          assertThat(one.delegationId()).isEqualTo(id);
        });
  }

  @Test
  void isNotSentAgainToACallerThatHasIt() {
    clerks.updateDelegation(id, new DelegationReport.Completed("the answer that was heard"));

    report();

    assertThat(accepted())
        .singleElement()
        .satisfies(one -> assertThat(one.text()).isEqualTo("the answer that was heard"));
  }

  @Test
  void isTruncatedWhenItIsAnError() {
    clerks.updateDelegation(id, new DelegationReport.Failed("\u0001" + LARGE, ""));

    assertThat(bosss.delegation(id, Duration.ZERO).status()).isEqualTo("failed");
  }

  private void report() {
    String task =
        """
        {"params":{"message":{"messageId":"%s","parts":[],
        "metadata":{"delegation_id":"%s","sender":{"source":"peer_agent","workspace_id":"%s"}}}}}
        """
            .formatted(id, id, boss.id());
    new Replies(clerks, new UnsentReplies(null), new CancellationToken())
        .reportResult(InboundMessage.ofRequest(JsonMapper.shared().readTree(task)), LARGE);
  }

  private List<InboundMessage> accepted() {
    return bosss.fetchInbound(null, 10, "a2a_receive", Duration.ZERO);
  }
}
