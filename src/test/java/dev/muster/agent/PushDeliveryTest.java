package dev.muster.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.testing.RawHttp;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How a push agent receives messages (section 13). */
@Slow
@Timeout(60)
@Execution(ExecutionMode.CONCURRENT)
class PushDeliveryTest {

  private final Agent agent = AgentServer.CLIENT.create("Called");
  private final PushDelivery delivery;
  private final AtomicInteger handled = new AtomicInteger();

  PushDeliveryTest() throws IOException {
    delivery = PushDelivery.builder(AgentServer.client(agent)).start();
  }

  @AfterEach
  void stop() {
    delivery.stop();
  }

  @Test
  void answersAPeerThroughTheServer() throws Exception {
    Agent child = AgentServer.CLIENT.create("Child", "\"parent_id\":\"" + agent.id() + "\"");
    AgentLoop loop =
        AgentLoop.builder(AgentServer.client(agent))
            .registration(Registration.pushed("Called", delivery.url()))
            .delivery(delivery)
            .answering((message, _) -> message.sourceWord() + " " + message.sourceId())
            .build();
    Thread thread = loop.start();
    await().until(() -> AgentServer.status(agent).equals("online"));

    SendResult sent = AgentServer.client(child).send(agent.id().toString(), "who am I?");

    assertThat(sent)
        .isInstanceOfSatisfying(
            SendResult.Answered.class,
            answered -> assertThat(answered.text()).isEqualTo("peer_agent " + child.id()));
    loop.stop();
    assertThat(thread.join(Duration.ofSeconds(15))).isTrue();
  }

  @Test
  void answersADuplicateWithTheSameAnswer() {
    assertThat(delivery.runOnce(this::count)).isZero();

    Answer first = post(message("m-1"));
    Answer again = post(message("m-1"));
    Answer other = post(message("m-2"));

    assertThat(again.text()).isEqualTo(first.text());
    assertThat(first.json().at("/result/parts/0/text").asString()).isEqualTo("1");
    assertThat(other.json().at("/result/parts/0/text").asString()).isEqualTo("2");
  }

  @Test
  void letsADuplicateWaitForTheFirst() throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    CountDownLatch begun = new CountDownLatch(1);
    delivery.runOnce((message, client) -> {
      begun.countDown();
      goOn.await();
      return count(message, client);
    });
    CompletableFuture<Answer> first =
        CompletableFuture.supplyAsync(() -> post(message("m")), Thread::startVirtualThread);
    begun.await();
    CompletableFuture<Answer> again =
        CompletableFuture.supplyAsync(() -> post(message("m")), Thread::startVirtualThread);
    goOn.countDown();

    assertThat(again.get(20, TimeUnit.SECONDS).text())
        .isEqualTo(first.get(20, TimeUnit.SECONDS).text());
    assertThat(handled).hasValue(1);
  }

  @Test
  void reportsThatItsHandlerFailed() {
    delivery.runOnce((_, _) -> {
      throw new AssertionError("planted");
    });

    assertThat(post(message("m")).json().at("/error/code").asInt()).isEqualTo(-32603);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"jsonrpc\"                          | -32700",
        "``                                    | -32700",
        "[]                                    | -32600",
        "7                                     | -32600",
        "{\"id\":1}                            | -32600",
        "{\"method\":\"tasks/get\"}            | -32601",
        "{\"method\":\"message/send\"}         | -32602",
        "{\"method\":\"message/send\",\"params\":{\"message\":[]}} | -32602",
      })
  void refusesMalformedRequests(String body, int code) {
    delivery.runOnce(this::count);

    Answer answer = post(body);

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.json().at("/error/code").asInt()).isEqualTo(code);
    assertThat(answer.json().at("/error/message").asString()).isNotEmpty();
  }

  @Test
  void boundsWhatItReads() {
    Answer answer = post(" ".repeat(16 * 1024 * 1024 + 1));

    assertThat(answer.status()).isEqualTo(413);
  }

  @Test
  void acceptsPostOnly() {
    assertThat(RawHttp.send(delivery.url().getPort(), "GET /a2a", List.of()).status())
        .isEqualTo(405);
  }

  /** The answer could not be written, so the end of the task is reported. */
  @Test
  void reportsATaskWhoseAnswerCouldNotBeWritten() throws Exception {
    Agent boss = AgentServer.CLIENT.create("Boss", "\"parent_id\":\"" + agent.id() + "\"");
    AgentClient bosss = AgentServer.client(boss);
    String id = "d-" + boss.id();
    bosss.recordDelegation(agent.id().toString(), "a long one", id);
    String result = "well ".repeat(40_000);
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    delivery.runOnce((_, _) -> {
      begun.countDown();
      goOn.await();
      return Reply.of(result);
    });

    try (Socket asking = new Socket(InetAddress.getLoopbackAddress(), delivery.url().getPort())) {
      asking.getOutputStream().write(request(task(boss, id)));
      assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
      asking.setSoLinger(true, 0); // closes with a RST in place of a FIN
    }
    goOn.countDown();

    await()
        .atMost(Duration.ofSeconds(20))
        .until(() -> bosss.delegation(id, Duration.ZERO).isOver());
    assertThat(bosss.delegation(id, Duration.ZERO).result()).isEqualTo(result);
  }

  private static String task(Agent from, String id) {
    return """
    {"jsonrpc":"2.0","id":7,"method":"message/send","params":{"message":{"messageId":"%s","parts":[],
    "metadata":{"delegation_id":"%s","sender":{"source":"peer_agent","workspace_id":"%s"}}}}}
    """
        .formatted(id, id, from.id());
  }

  private static byte[] request(String body) {
    return "POST /a2a HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s"
        .formatted(body.length(), body)
        .getBytes(StandardCharsets.UTF_8);
  }

  private Reply count(InboundMessage message, AgentClient client) {
    return Reply.of(Integer.toString(handled.incrementAndGet()));
  }

  private static String message(String id) {
    return "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"message/send\",\"params\":{\"message\":{\"messageId\":\"%s\",\"parts\":[]}}}"
        .formatted(id);
  }

  private Answer post(String body) {
    return RawHttp.send(
        delivery.url().getPort(), "POST /a2a", List.of(), body.getBytes(StandardCharsets.UTF_8));
  }
}
