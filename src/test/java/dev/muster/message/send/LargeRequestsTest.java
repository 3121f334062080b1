package dev.muster.message.send;

import static dev.muster.testing.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.muster.platform.http.Owner;
import dev.muster.platform.http.RequestOwner;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.testing.ConsoleSession;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** Large requests use no carriers of virtual threads, and no sender takes all slots. */
@Timeout(60)
class LargeRequestsTest {

  private static final int SMALL = LargeRequests.LARGE_BYTES;
  private static final int LARGE = LargeRequests.LARGE_BYTES + 1;

  private final LargeRequests requests = new LargeRequests();
  private final ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor();
  private final CountDownLatch end = new CountDownLatch(1);

  @AfterEach
  void stop() {
    end.countDown();
    callers.close();
  }

  private static Owner owner(String who) {
    return new Owner.OfPeople(who, 0);
  }

  /** What is taken for it is taken from the sender's share. */
  @Test
  void isTheRequestOfItsOwnerOnAnotherThread() {
    MockHttpServletRequest request = new MockHttpServletRequest();
    RequestOwner.set(request, owner("one"));
    RequestContextHolder.setRequestAttributes(new ServletRequestAttributes(request));
    try {
      assertThat(requests.run(LARGE, owner("one"), RequestOwner::current)).isEqualTo(owner("one"));
    } finally {
      RequestContextHolder.resetRequestAttributes();
    }
  }

  private <T> Future<T> run(int bytes, String owner, Supplier<T> work) {
    return callers.submit(() -> requests.run(bytes, owner(owner), work));
  }

  /** Completes when it has its slot, which it keeps until the end of the test. */
  private CompletableFuture<Boolean> hold(String owner) {
    return hold(requests, owner(owner));
  }

  private CompletableFuture<Boolean> hold(LargeRequests requests, Owner owner) {
    CompletableFuture<Boolean> began = new CompletableFuture<>();
    var _ =
        callers.submit(() -> {
          try {
            return requests.run(
                LARGE,
                owner,
                () -> {
                  began.complete(true);
                  awaitEnd();
                  return true;
                });
          } catch (ProblemException refused) {
            return began.completeExceptionally(refused);
          }
        });
    return began;
  }

  private void awaitEnd() {
    try {
      end.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void runOnPlatformThreads() throws Exception {
    assertThat(run(LARGE, "a", () -> Thread.currentThread().isVirtual()).get()).isFalse();
    assertThat(run(SMALL, "a", () -> Thread.currentThread().isVirtual()).get()).isTrue();
  }

  @Test
  void leaveASlotForOtherSenders() throws Exception {
    assertThat(hold("a").get()).isTrue();
    CompletableFuture<Boolean> more = hold("a");
    while (!more.isCompletedExceptionally()) {
      more = hold("a");
      more.handle((began, refused) -> began).get();
    }

    assertThat(run(LARGE, "b", () -> 1).get()).isEqualTo(1);
    assertThat(run(SMALL, "a", () -> 2).get()).isEqualTo(2);
  }

  @Test
  void areRefusedWhenTooManyWait() {
    CompletableFuture<Boolean> last = hold("a");
    for (int i = 0; last.handle((began, refused) -> refused == null).join(); i++) {
      last = hold("sender " + i);
    }

    assertThatExceptionOfType(ProblemException.class)
        .isThrownBy(() -> requests.run(LARGE, owner("another"), () -> 1))
        .satisfies(refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.UNAVAILABLE))
        .withMessageContaining("of a sender");
  }

  @Test
  void releaseTheirSlotAndForwardRefusals() {
    for (int i = 0; i < 10; i++) {
      assertThatExceptionOfType(ProblemException.class)
          .isThrownBy(() ->
              requests.run(
                  LARGE,
                  owner("a"),
                  () -> {
                    throw ProblemException.validation("bad");
                  }))
          .withMessage("bad");
    }
  }

  @Test
  void areOneShareOfATokenAndItsSessions() {
    try (TestServer server = TestServer.start()) {
      TestClient client = server.client();
      Agent agent = client.create("Greedy");
      Agent modest = client.create("Modest");
      for (int i = 0; i < LargeRequests.AT_ONCE / 2; i++) {
        Owner owner = new Owner.OfWorkspace(agent.id());
        assertThat(hold(server.bean(LargeRequests.class), owner).join()).isTrue();
      }

      assertRefused(sendLarge(client, agent, agent.token()), 503, "UNAVAILABLE");
      ConsoleSession session = ConsoleSession.signIn(client, agent.token());
      assertRefused(sendLarge(client, agent, null, session.headers()), 503, "UNAVAILABLE");
      assertThat(sendLarge(client.patient(), modest, modest.token()).status()).isEqualTo(200);
      end.countDown();
      assertThat(sendLarge(client.patient(), agent, agent.token()).status()).isEqualTo(200);
    }
  }

  private static Answer sendLarge(
      TestClient client, Agent by, @Nullable String token, String... headers) {
    Agent child = client.create("Child", "\"parent_id\":\"" + by.id() + "\"");
    String message = ProxyClient.message("m-1", "x".repeat(LARGE));
    return client.post(ProxyClient.path(child.id()), token, message, headers);
  }
}
