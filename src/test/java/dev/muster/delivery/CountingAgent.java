package dev.muster.delivery;

import dev.muster.testing.PeerExchange;
import dev.muster.testing.TestPeer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.databind.json.JsonMapper;

/** An agent that does what a test wants it to, and knows what it was given and how much at once. */
final class CountingAgent implements AutoCloseable {

  /** In place of a status. */
  static final int CLOSE_WITHOUT_ANSWER = 0;

  static final String ANSWER = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"n\":1}}";

  /** The status with which a message is answered, after as long as this takes. */
  interface Work {
    int on(String messageId) throws InterruptedException;
  }

  static final Work DONE = messageId -> 200;

  private final TestPeer peer;
  private final AtomicInteger underWay = new AtomicInteger();
  private final AtomicInteger most = new AtomicInteger();
  private volatile Work work = DONE;

  CountingAgent() throws IOException {
    peer = TestPeer.start().usually(this::act);
  }

  /** From now on. */
  void works(Work way) {
    work = way;
  }

  String url() {
    return peer.url();
  }

  /** The ids of the messages that it was given, in their order. */
  List<String> given() {
    return peer.deliveries().stream().map(one -> idIn(one.text())).toList();
  }

  int timesGiven(String messageId) {
    return (int) given().stream().filter(messageId::equals).count();
  }

  int mostAtOnce() {
    return most.get();
  }

  int underWay() {
    return underWay.get();
  }

  private boolean act(PeerExchange exchange) throws IOException {
    String request = exchange.receive().text();
    most.accumulateAndGet(underWay.incrementAndGet(), Math::max);
    int status;
    try {
      status = work.on(idIn(request));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    } finally {
      // before the answer, after which the next one may come
      underWay.decrementAndGet();
    }
    if (status == CLOSE_WITHOUT_ANSWER) {
      return false;
    }
    exchange.answer(
        status,
        Map.of("Content-Type", "application/json"),
        ANSWER.getBytes(StandardCharsets.UTF_8));
    return true;
  }

  private static String idIn(String request) {
    return JsonMapper.shared()
        .readTree(request)
        .path("params")
        .path("message")
        .path("messageId")
        .asString();
  }

  @Override
  public void close() throws IOException {
    peer.close();
  }
}
