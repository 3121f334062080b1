package dev.muster.message.send;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Race;
import dev.muster.testing.Rounds;
import dev.muster.testing.Slow;
import dev.muster.testing.StoredRows;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** One message has one record (R7.3), whichever replicas receive it. */
@Slow
class DuplicateMessagesTest {

  private static final int SENDERS = Rounds.of(80, 200);
  private static final int TIMES = Rounds.of(3, 10);

  private static final TestServer SERVER = TestServer.start();
  private static final TestServer REPLICA =
      TestServer.startOn(SERVER.database(), "RATE_LIMIT=1000000");
  private static final TestClient CLIENT = SERVER.client();
  private static final ProxyClient PROXY = new ProxyClient(SERVER);
  private static final List<ProxyClient> BOTH = List.of(PROXY, new ProxyClient(REPLICA));

  private static final Agent LEAD = CLIENT.create("Lead");

  @AfterAll
  static void close() {
    REPLICA.close();
    SERVER.close();
  }

  private static Agent target() {
    return CLIENT.create("Target", "\"parent_id\":\"" + LEAD.id() + "\"");
  }

  private static ProxyClient replica(int n) {
    return BOTH.get(n % BOTH.size());
  }

  @Test
  void storesAMessageOnceWhenManySendersSendItAtOnce() {
    for (String token : List.of(ADMIN_TOKEN, LEAD.token())) {
      Agent target = target();

      List<Answer> answers =
          Race.run(SENDERS, n -> repeatedly(n, target, token)).stream()
              .flatMap(List::stream)
              .toList();

      Set<String> texts = answers.stream().map(Answer::text).collect(Collectors.toSet());
      assertThat(answers).filteredOn(answer -> answer.status() != 200).isEmpty();
      assertThat(texts).hasSize(1);
      assertThat(PROXY.rows(target)).isEqualTo(1);
      assertThat(PROXY.row(answers.getFirst().field("activity_id"), "seq")).isEqualTo("1");
    }
  }

  private static List<Answer> repeatedly(int sender, Agent target, String token) {
    return IntStream.range(0, TIMES)
        .mapToObj(time ->
            replica(sender + time).patient().send(target, token, ProxyClient.message("m", "hi")))
        .toList();
  }

  @Test
  void storesOneOfManyContentsThatAreSentUnderOneId() {
    Agent target = target();

    List<Answer> answers =
        Race.run(
            SENDERS,
            n ->
                replica(n)
                    .patient()
                    .send(target, ADMIN_TOKEN, ProxyClient.message("m", "text " + n / 2 % 4)));

    List<Answer> taken = answers.stream().filter(answer -> answer.status() == 200).toList();
    assertThat(answers).extracting(Answer::status).containsOnly(200, 409);
    assertThat(taken).hasSize(SENDERS / 4);
    assertThat(taken.stream().map(Answer::text).distinct()).hasSize(1);
    assertThat(PROXY.rows(target)).isEqualTo(1);
  }

  @Test
  void refusesAnotherContentUnderAnIdThatIsTaken() {
    Agent target = target();
    String first = PROXY.sent(target, ADMIN_TOKEN, ProxyClient.message("m", "hi"));

    for (String other :
        List.of(
            ProxyClient.message("m", "Hi"),
            ProxyClient.message("m", "hi").replace("message/send", "message/stream"),
            ProxyClient.message("m", "hi").replace("\"kind\"", "\"more\":1,\"kind\""))) {
      Answer answer = PROXY.send(target, ADMIN_TOKEN, other);

      assertRefused(answer, 409, "MESSAGE_ID_REUSED");
      assertThat(answer.field("error"))
          .startsWith("params.message.messageId names an earlier message to this workspace")
          .contains("expected: a new id for a new message");
    }
    assertThat(PROXY.rows(target)).isEqualTo(1);
    assertThat(PROXY.sent(target, ADMIN_TOKEN, ProxyClient.message("m", "hi"))).isEqualTo(first);
  }

  @Test
  void recognisesAMessageInAnotherForm() {
    Agent target = target();
    String first =
        PROXY.sent(
            target,
            LEAD.token(),
            ProxyClient.sending(
                "{'messageId':'m','role':'user','x':{'a':1,'b':2},'content':'hi'}"));

    String second =
        new ProxyClient(REPLICA)
            .sent(
                target,
                LEAD.token(),
                ProxyClient.sending(
                        "{'metadata':{'attempt':2},'parts':[{'text':'hi','type':'text'}],"
                            + "'x':{'b':2,'a':1},'message_id':'m'}")
                    .replace("\"id\":1", "\"id\":\"another\",\"more\":true"));

    assertThat(second).isEqualTo(first);
    assertThat(PROXY.rows(target)).isEqualTo(1);
    assertThat(PROXY.row(first, "request_body ->> 'id'")).isEqualTo("1");
  }

  @Test
  void takesTheSameIdFromAnotherSenderOrToAnotherTargetForAnotherMessage() {
    Agent target = target();
    Agent sibling = target();
    String message = ProxyClient.message("m", "hi");
    List<String> tokens = List.of(ADMIN_TOKEN, LEAD.token(), target.token(), sibling.token());

    Set<String> rows = new HashSet<>();
    for (int n = 0; n < 2 * BOTH.size(); n++) {
      for (String token : tokens) {
        rows.add(replica(n).sent(target, token, message));
        rows.add(replica(n).sent(sibling, token, message));
      }
    }

    assertThat(rows).hasSize(2 * tokens.size());
    assertThat(PROXY.rows(target)).isEqualTo(tokens.size());
    assertThat(PROXY.rows(sibling)).isEqualTo(tokens.size());
  }

  @Test
  void distinguishesUnusualIds() {
    Agent target = target();
    List<String> ids = List.of("\\ud800", "\\ud801", "\\ufffd", "\\u0000", "", "M", "m", "m ");

    Set<String> rows = new HashSet<>();
    for (String id : ids) {
      rows.add(PROXY.sent(target, ADMIN_TOKEN, ProxyClient.message(id, "hi")));
    }

    assertThat(rows).hasSize(ids.size());
  }

  @Test
  void forgetsAMessageWithItsRow() {
    Agent target = target();
    String first = PROXY.sent(target, ADMIN_TOKEN, ProxyClient.message("m", "hi"));
    SERVER
        .database()
        .execute("DELETE FROM activity_logs l" + StoredRows.where(SERVER.database(), first));

    String second = PROXY.sent(target, ADMIN_TOKEN, ProxyClient.message("m", "another content"));

    assertThat(second).isNotEqualTo(first);
    assertThat(PROXY.row(second, "seq")).isEqualTo("2");
  }

  @Test
  void countsAMessageAgainstTheRateLimit() {
    Answer answer =
        new ProxyClient(REPLICA).send(target(), ADMIN_TOKEN, ProxyClient.message("m", "hi"));

    assertThat(answer.header("X-RateLimit-Limit")).isEqualTo("1000000");
  }
}
