package dev.muster.message.flow;

import dev.muster.testing.PeerExchange;
import dev.muster.testing.TestPeer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.databind.json.JsonMapper;

/**
 * An agent with the behaviour that a test sets; it counts its messages and how many are concurrent.
 */
public final class CountingAgent implements AutoCloseable {

  /** Instead of a status: closes the connection without an answer. */
  public static final int CLOSE_WITHOUT_ANSWER = 0;

  public static final String ANSWER = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"n\":1}}";

  /** Returns the status of the answer; the answer is sent when this returns. */
  public interface Work {
    int on(String messageId) throws InterruptedException;
  }

  static final Work DONE = messageId -> 200;

  private final TestPeer peer;
  private final AtomicInteger inProgress = new AtomicInteger();
  private final AtomicInteger most = new AtomicInteger();
  private volatile Work work = DONE;

  public CountingAgent() throws IOException {
    peer = TestPeer.start().usually(this::act);
  }

  /** Sets the behaviour for messages that arrive from now on. */
  public void works(Work way) {
    work = way;
  }

  public String url() {
    return peer.url();
  }

  /** The ids of the messages that it received, in order. */
  public List<String> received() {
    return peer.deliveries().stream().map(one -> idIn(one.text())).toList();
  }

  public int timesReceived(String messageId) {
    return (int) received().stream().filter(messageId::equals).count();
  }

  public int mostAtOnce() {
    return most.get();
  }

  public int inProgress() {
    return inProgress.get();
  }

  private boolean act(PeerExchange exchange) throws IOException {
    String request = exchange.receive().text();
    most.accumulateAndGet(inProgress.incrementAndGet(), Math::max);
    int status;
    try {
      status = work.on(idIn(request));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    } finally {
      // before the answer, since the next message may follow it at once
      inProgress.decrementAndGet();
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
