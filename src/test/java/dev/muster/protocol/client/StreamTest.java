package dev.muster.protocol.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.muster.protocol.client.A2aResult.Answer;
import dev.muster.protocol.client.A2aResult.HttpError;
import dev.muster.protocol.client.A2aResult.Streamed;
import dev.muster.testing.MachinePauses;
import dev.muster.testing.PeerBehavior;
import dev.muster.testing.TestPeer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Streams are forwarded as they arrive (R7.9). */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(60)
class StreamTest {

  private final A2aClient client = A2aClient.builder().pause(_ -> {}).build();
  private final TestPeer peer;

  StreamTest() throws IOException {
    peer = TestPeer.start();
  }

  @AfterEach
  void close() throws IOException {
    client.close();
    peer.close();
  }

  private static class Recording implements StreamSink {
    final ByteArrayOutputStream got = new ByteArrayOutputStream();
    String beginnings = "";
    Thread thread = Thread.currentThread();

    @Override
    public void begin(int status, String contentType, Map<String, String> headers) {
      beginnings += status + " " + contentType;
    }

    @Override
    public void write(byte[] bytes) throws IOException {
      got.writeBytes(bytes);
      thread = Thread.currentThread();
    }

    String text() {
      return got.toString(StandardCharsets.UTF_8);
    }
  }

  @Test
  void forwardsACompleteStreamAndKeepsItsLastEvent() {
    peer.then(PeerBehavior.events("{\"n\":1}", "{\"n\":2}", "{\"state\":\"completed ✓\"}"));
    Recording sink = new Recording();
    A2aResult result = client.send(Requests.to(peer.url()), sink);
    assertThat(sink.beginnings).isEqualTo("200 text/event-stream");
    assertThat(sink.text())
        .isEqualTo("data: {\"n\":1}\n\ndata: {\"n\":2}\n\ndata: {\"state\":\"completed ✓\"}\n\n");
    assertThat(sink.thread).isSameAs(Thread.currentThread());
    assertStreamed(result, null, "{\"state\":\"completed ✓\"}");
    assertThat(peer.deliveries().getFirst().header("accept"))
        .isEqualTo("text/event-stream, application/json");
  }

  @Test
  void forwardsEachEventBeforeTheNextArrives() {
    CountDownLatch forwarded = new CountDownLatch(1);
    peer.then(PeerBehavior.eventsInTwo("data: 1\n\n", forwarded, "data: 2\n\n"));
    Recording sink =
        new Recording() {
          @Override
          public void write(byte[] bytes) throws IOException {
            super.write(bytes);
            forwarded.countDown();
          }
        };
    assertStreamed(client.send(Requests.to(peer.url()), sink), null, "2");
    assertThat(sink.text()).isEqualTo("data: 1\n\ndata: 2\n\n");
  }

  @Test
  void doesNotRepeatAStreamThatBrokeOff() {
    peer.usually(PeerBehavior.brokenEvents("data: 1\n\ndata: half"));
    Recording sink = new Recording();
    A2aResult result = client.send(Requests.to(peer.url()), sink);
    assertStreamed(result, FailureKind.READ_ERROR, "1");
    assertThat(sink.text()).isEqualTo("data: 1\n\ndata: half");
    assertThat(A2aErrors.text(result))
        .startsWith("StreamBroken by ReadError: the response broke off [target=agent-7]");
    assertThat(peer.deliveries()).hasSize(1);
  }

  @Test
  void cutsAStreamAtTheDeadline() throws Exception {
    peer.then(PeerBehavior.eventsInTwo("data: 1\n\n", new CountDownLatch(1), ""));
    Recording sink = new Recording();
    long start = System.nanoTime();
    try (MachinePauses pauses = new MachinePauses()) {
      // on a busy machine the stream itself may begin late
      A2aResult result = client.send(Requests.within(Duration.ofSeconds(2), peer.url()), sink);
      assertStreamed(result, FailureKind.READ_TIMEOUT, "1");
      // the deadline counts from the creation of the request, a moment before the exchange begins
      assertThat(Duration.ofNanos(System.nanoTime() - start))
          .isBetween(Duration.ofSeconds(2), Duration.ofSeconds(4).plus(pauses.longest()));
    }
  }

  @Test
  void readsToTheEndWithoutAListener() {
    peer.then(PeerBehavior.events("1", "2", "3"));
    Recording gone =
        new Recording() {
          @Override
          public void write(byte[] bytes) throws IOException {
            super.write(bytes);
            throw new IOException("the listener hung up");
          }
        };
    assertStreamed(client.send(Requests.to(peer.url()), gone), null, "3");
    assertThat(gone.text()).startsWith("data: 1\n\n");
  }

  @Test
  void rethrowsABugOfTheSink() {
    peer.usually(PeerBehavior.events("{\"n\":1}", "{\"n\":2}"));
    IllegalStateException bug = new IllegalStateException("a bug");
    Recording sink =
        new Recording() {
          @Override
          public void write(byte[] bytes) {
            throw bug;
          }
        };
    assertThatIllegalStateException()
        .isThrownBy(() -> client.send(Requests.to(peer.url()), sink))
        .isSameAs(bug);
    assertThat(peer.deliveries()).hasSize(1);
  }

  @Test
  void retriesUntilAStreamBegins() {
    peer.then(
        PeerBehavior.closeAfterRequest(), PeerBehavior.halfHead(), PeerBehavior.events("done"));
    Recording sink = new Recording();
    A2aResult result = client.send(Requests.to(peer.url()), sink);
    assertThat(result.attempts()).isEqualTo(3);
    assertThat(sink.beginnings).isEqualTo("200 text/event-stream");
  }

  @Test
  void doesNotUseTheSinkWithoutAStream() {
    peer.then(PeerBehavior.echo(), PeerBehavior.answer(400, "{\"error\":\"no\"}"));
    Recording sink = new Recording();
    assertThat(client.send(Requests.to(peer.url()), sink)).isInstanceOf(Answer.class);
    assertThat(client.send(Requests.to(peer.url()), sink)).isInstanceOf(HttpError.class);
    assertThat(sink.beginnings).isEmpty();
  }

  private static void assertStreamed(
      A2aResult result, @Nullable FailureKind brokenBy, String last) {
    assertThat(result)
        .isInstanceOfSatisfying(
            Streamed.class,
            stream -> {
              assertThat(stream.brokenBy()).isEqualTo(brokenBy);
              assertThat(stream.whole()).isEqualTo(brokenBy == null);
              assertThat(stream.lastData().map(data -> new String(data, StandardCharsets.UTF_8)))
                  .contains(last);
            });
    assertThat(result.attempts()).isEqualTo(1);
  }
}
