package dev.muster.protocol.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.muster.protocol.client.A2aClient.RetryBudget;
import dev.muster.protocol.client.A2aResult.Answer;
import dev.muster.protocol.client.A2aResult.HttpError;
import dev.muster.protocol.client.A2aResult.OutOfTime;
import dev.muster.protocol.client.A2aResult.RpcError;
import dev.muster.protocol.client.A2aResult.SendEndReason;
import dev.muster.protocol.client.A2aResult.Unreachable;
import dev.muster.testing.FreePorts;
import dev.muster.testing.MachinePauses;
import dev.muster.testing.PeerBehavior;
import dev.muster.testing.PeerProcess;
import dev.muster.testing.TestPeer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which failures are retried and how often (R7.10, seed 002). */
@Timeout(60)
class RetryTest {

  private final List<Duration> waits = new ArrayList<>();
  private final A2aClient client = A2aClient.builder().pause(waits::add).build();
  private TestPeer peer;

  RetryTest() throws IOException {
    peer = TestPeer.start();
  }

  @BeforeEach
  void noneYet() {
    assertThat(peer.connections()).isZero();
  }

  @AfterEach
  void close() throws IOException {
    client.close();
    peer.close();
  }

  @Test
  void succeedsAfterTwoPeersThatClosedWithoutAResponse() {
    peer.then(PeerBehavior.closeAfterRequest(), PeerBehavior.closeAfterRequest());
    A2aResult result = client.send(Requests.to(peer.url()));
    assertThat(result)
        .isInstanceOfSatisfying(
            Answer.class,
            answer ->
                assertThat(new String(answer.body(), StandardCharsets.UTF_8))
                    .contains("grüß dich", "echo of m-1"));
    assertThat(result.attempts()).isEqualTo(3);
    assertThat(result.deliveries()).isEqualTo(3);
    assertThat(waits).hasSize(2);
    assertThat(peer.deliveries())
        .hasSize(3)
        .allMatch(delivery -> delivery.text().equals(Requests.BODY)); // includes the messageId
  }

  @Test
  void succeedsWhenThePeerListensAgain() throws IOException {
    int port = FreePorts.next();
    peer.close();
    try (Socket reserved = reserve(port);
        A2aClient patient =
            A2aClient.builder()
                .pause(wait -> {
                  waits.add(wait);
                  listenOn(port, reserved);
                })
                .build()) {
      A2aResult result = patient.send(Requests.to("http://127.0.0.1:" + port + "/a2a"));
      assertThat(result).isInstanceOf(Answer.class);
      assertThat(result.attempts()).isEqualTo(2);
      assertThat(result.deliveries()).isEqualTo(1);
      assertThat(waits).hasSize(1);
    }
  }

  /** Binds a port without listening: connections are refused, and no other test gets the port. */
  private static Socket reserve(int port) throws IOException {
    Socket socket = new Socket();
    socket.setReuseAddress(true);
    socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    return socket;
  }

  private void listenOn(int port, Socket reserved) {
    try {
      reserved.close();
      peer = TestPeer.startOn(port);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void failsAfterFiveAttemptsWithTheReason() {
    peer.usually(PeerBehavior.resetAfterRequest());
    A2aResult result = client.send(Requests.to(peer.url()));
    assertThat(A2aErrors.text(result))
        .matches(
            "ConnectionReset \\(no message — connection reset or silent timeout\\)"
                + " \\[target=agent-7], attempts 5/5, elapsed \\d+\\.\\d s");
    assertThat(result).isInstanceOf(Unreachable.class);
    assertThat(peer.deliveries()).hasSize(5);
    assertThat(waits).hasSize(4);
  }

  @Test
  void doesNotRetryAJsonRpcError() {
    peer.then(PeerBehavior.answer(200, "{\"error\":{\"code\":-32603,\"message\":\"tool broke\"}}"));
    A2aResult result = client.send(Requests.to(peer.url()));
    assertThat(result)
        .isInstanceOfSatisfying(
            RpcError.class,
            error -> {
              assertThat(error.code()).isEqualTo(-32603);
              assertThat(error.message()).isEqualTo("tool broke");
            });
    assertThat(A2aErrors.text(result))
        .startsWith("JsonRpcError -32603: tool broke [target=agent-7], attempts 1/5, elapsed ");
    assertThat(peer.deliveries()).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      ints = {
        300, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 407, 408, 409, 413, 421, 429, 500,
        502, 503, 504
      })
  void doesNotRetryAnyStatusNorFollowIt(int status) throws IOException {
    try (TestPeer elsewhere = TestPeer.start()) {
      peer.then(
          PeerBehavior.answer(
              status,
              Map.of(
                  "Location", elsewhere.url(),
                  "Retry-After", "0",
                  "WWW-Authenticate", "Basic realm=\"x\"",
                  "Proxy-Authenticate", "Basic realm=\"x\"",
                  "Set-Cookie", "a=b"),
              status == 304 ? "" : "{\"error\":\"not like this\"}"));
      A2aResult result = client.send(Requests.to(peer.url()));
      assertThat(result)
          .isInstanceOfSatisfying(
              HttpError.class,
              error -> {
                assertThat(error.status()).isEqualTo(status);
                assertThat(error.text()).isEqualTo(status == 304 ? "" : "not like this");
              });
      assertThat(A2aErrors.text(result)).startsWith("HttpError " + status);
      assertThat(result.attempts()).isEqualTo(1);
      assertThat(peer.deliveries()).hasSize(1);
      assertThat(elsewhere.connections()).isZero();
    }
  }

  @Test
  void rethrowsBugsWithoutARetry() {
    A2aRequest unfit =
        new A2aRequest(
            Requests.TARGET,
            peer.url(),
            Requests.body(),
            Map.of("X-Workspace-ID", "two\nlines"),
            Duration.ofSeconds(1),
            Deadline.in(Duration.ofSeconds(10)));
    assertThatIllegalArgumentException().isThrownBy(() -> client.send(unfit));

    IllegalStateException bug = new IllegalStateException("a bug");
    AtomicInteger asked = new AtomicInteger();
    TargetGuard failing =
        Requests.resolvingBy(_ -> {
          asked.incrementAndGet();
          throw bug;
        });
    try (A2aClient buggy = A2aClient.builder().guard(failing).build()) {
      assertThatIllegalStateException()
          .isThrownBy(() -> buggy.send(Requests.to("http://agent.example/")))
          .isSameAs(bug);
    }
    assertThat(asked).hasValue(1);
    assertThat(peer.connections()).isZero();
  }

  @Test
  void stopsAtTheDeadlineThoughAttemptsRemain() throws Exception {
    peer.usually(PeerBehavior.closeAfterRequest());
    try (MachinePauses pauses = new MachinePauses()) {
      // the first back-off takes 0.75 s at least
      A2aResult result = client.send(Requests.within(Duration.ofMillis(700), peer.url()));
      assertThat(result)
          .isInstanceOfSatisfying(
              OutOfTime.class,
              end -> assertThat(end.last()).isEqualTo(FailureKind.CLOSED_WITHOUT_RESPONSE));
      assertThat(result.elapsed()).isLessThan(Duration.ofMillis(700).plus(pauses.longest()));
    }
    assertThat(waits).isEmpty();
    assertThat(peer.deliveries()).hasSize(1);
  }

  @Test
  void makesNoAttemptWithoutTime() {
    A2aResult result = client.send(Requests.within(Duration.ZERO, peer.url()));
    assertThat(result)
        .isInstanceOfSatisfying(OutOfTime.class, end -> assertThat(end.last()).isNull());
    assertThat(result.mayBeDelivered()).isFalse();
    assertThat(A2aErrors.text(result))
        .matches(
            "OutOfTime: no attempt was made \\[target=agent-7], attempts 0/5, elapsed \\d\\.\\d"
                + " s(?s:.*)");
    assertThat(peer.connections()).isZero();
  }

  @Test
  void sleepsBetweenAttempts() throws IOException {
    peer.then(PeerBehavior.closeAfterRequest());
    try (A2aClient sleeping = A2aClient.builder().build()) {
      A2aResult result = sleeping.send(Requests.to(peer.url()));
      assertThat(result).isInstanceOf(Answer.class);
      assertThat(result.elapsed()).isGreaterThanOrEqualTo(RetryDelay.before(1, 0));
    }
  }

  @Test
  void endsWithTheRetryBudget() {
    peer.usually(PeerBehavior.closeAfterRequest());
    List<String> asked = new ArrayList<>();
    RetryBudget one =
        new RetryBudget() {
          @Override
          public void sent(String target) {
            asked.add("sent " + target);
          }

          @Override
          public boolean mayRetry(String target) {
            asked.add("retry " + target);
            return asked.size() < 3;
          }
        };
    try (A2aClient frugal = A2aClient.builder().pause(waits::add).budget(one).build()) {
      A2aResult result = frugal.send(Requests.to(peer.url()));
      assertThat(result)
          .isInstanceOfSatisfying(
              Unreachable.class,
              end -> assertThat(end.why()).isEqualTo(SendEndReason.RETRY_BUDGET));
      assertThat(result.attempts()).isEqualTo(2);
      assertThat(A2aErrors.text(result)).endsWith(", the target's retry budget is used up");
    }
    assertThat(asked).containsExactly("sent agent-7", "retry agent-7", "retry agent-7");
  }

  @Test
  void doesNotRetryTls() {
    peer.usually(exchange -> {
      exchange.receiveOnly(5);
      exchange.send("HTTP/1.1 400 Bad Request\r\n\r\n");
      return false;
    });
    A2aResult result = client.send(Requests.to(peer.url().replace("http:", "https:")));
    assertUnreachable(result, FailureKind.TLS);
    assertThat(A2aErrors.text(result))
        .startsWith("Tls: the handshake failed [target=agent-7], attempts 1/5, elapsed ")
        .endsWith(", not tried again");
    assertThat(peer.connections()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "agent", "ftp://127.0.0.1/", "http://", "http://a b/", "http://[::1/"})
  void doesNotRetryAMalformedUrl(String url) {
    assertUnreachable(client.send(Requests.to(url)), FailureKind.BAD_URL);
  }

  private static void assertUnreachable(A2aResult result, FailureKind kind) {
    assertThat(result)
        .isInstanceOfSatisfying(
            Unreachable.class,
            end -> {
              assertThat(end.last()).isEqualTo(kind);
              assertThat(end.why()).isEqualTo(SendEndReason.NOT_RETRYABLE);
            });
    assertThat(result.attempts()).isEqualTo(1);
    assertThat(result.mayBeDelivered()).isFalse();
  }

  @Test
  void endsWhenInterrupted() throws InterruptedException {
    peer.usually(PeerBehavior.silence());
    List<A2aResult> results = new ArrayList<>();
    List<Boolean> interrupts = new ArrayList<>();
    Thread sender =
        Thread.ofVirtual()
            .start(() -> {
              results.add(client.send(Requests.to(peer.url())));
              interrupts.add(Thread.interrupted());
            });
    peer.awaitDeliveries(1);
    sender.interrupt();
    assertThat(sender.join(Duration.ofSeconds(10))).isTrue();
    assertThat(interrupts).containsExactly(true);
    assertThat(results.getFirst())
        .isInstanceOfSatisfying(
            Unreachable.class, end -> assertThat(end.why()).isEqualTo(SendEndReason.INTERRUPTED));
    assertThat(results.getFirst().deliveries()).isEqualTo(1);
  }

  @Test
  void endsWhenInterruptedDuringANameLookup() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch abandoned = new CountDownLatch(1);
    TargetGuard slow =
        Requests.resolvingBy(host -> {
          asked.countDown();
          try {
            new CountDownLatch(1).await();
          } catch (InterruptedException e) {
            abandoned.countDown();
          }
          throw new UnknownHostException(host);
        });
    try (A2aClient patient = A2aClient.builder().guard(slow).build()) {
      FutureTask<A2aResult> send =
          new FutureTask<>(() -> patient.send(Requests.to("http://agent.example/")));
      Thread sender = Thread.ofVirtual().start(send);
      asked.await();

      sender.interrupt();

      assertThat(send.get())
          .isInstanceOfSatisfying(
              Unreachable.class, end -> assertThat(end.why()).isEqualTo(SendEndReason.INTERRUPTED));
      assertThat(send.get().mayBeDelivered()).isFalse();
      abandoned.await();
    }
  }

  @Test
  void reachesAPeerThatWasKilledAndCameBack() throws IOException {
    PeerProcess first = PeerProcess.start(0, PeerProcess.Manner.ECHO);
    String url = first.url();
    int port = Integer.parseInt(url.replaceAll(".*:(\\d+)/.*", "$1"));
    assertThat(client.send(Requests.to(url))).isInstanceOf(Answer.class);
    first.kill();
    List<PeerProcess> second = new ArrayList<>();
    try (A2aClient patient =
        A2aClient.builder()
            .pause(_ -> {
              if (second.isEmpty()) {
                second.add(startOn(port));
              }
            })
            .build()) {
      A2aResult result = patient.send(Requests.to(url));
      assertThat(result).isInstanceOf(Answer.class);
      assertThat(result.attempts()).isEqualTo(2);
    } finally {
      second.forEach(PeerProcess::close);
    }
  }

  private static PeerProcess startOn(int port) {
    try {
      return PeerProcess.start(port, PeerProcess.Manner.ECHO);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
