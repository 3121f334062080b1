package dev.muster.workspace.agenturl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Names are looked up in bounded time, and all their addresses are checked (R3.3). */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AgentUrlGuardLookupTest {
  private static final Duration SHORT = Duration.ofMillis(100);
  private static final Duration SOON = Duration.ofSeconds(10);

  private final CountDownLatch never = new CountDownLatch(1);

  @AfterEach
  void letHangingLookupsEnd() {
    never.countDown();
  }

  private List<InetAddress> hang(String host) throws UnknownHostException {
    try {
      never.await();
    } catch (InterruptedException e) {
      throw new UnknownHostException(host);
    }
    return List.of(TestNames.PUBLIC);
  }

  @Test
  void endsALookupOfAHangingResolver() {
    AgentUrlGuard guard = new AgentUrlGuard(Set.of(), this::hang, SHORT);
    assertThat(guard.check("http://slow.example/"))
        .isEqualTo(AgentUrl.Fault.UNRESOLVABLE.refused());
    assertThatExceptionOfType(UnknownHostException.class)
        .isThrownBy(() -> guard.resolve("slow.example"));
  }

  @Test
  void boundsTheLookupsThatHangAndRecoversWhenTheyEnd() {
    AtomicInteger asked = new AtomicInteger();
    AgentUrlGuard guard =
        new AgentUrlGuard(
            Set.of(),
            host -> {
              asked.incrementAndGet();
              return hang(host);
            },
            Duration.ofMillis(20));
    for (int i = 0; i < TimeLimitedResolver.MAX_RUNNING + 3; i++) {
      assertThat(guard.check("http://slow.example/"))
          .satisfies(decision ->
              assertThat(((AgentUrlGuard.Decision.Refused) decision).label())
                  .isEqualTo("unresolvable"));
    }
    assertThat(asked).hasValueLessThanOrEqualTo(TimeLimitedResolver.MAX_RUNNING);
    never.countDown();
    while (!(guard.check("http://slow.example/") instanceof AgentUrlGuard.Decision.Allowed)) {
      assertThat(Thread.currentThread().isInterrupted())
          .isFalse(); // the slot was released before the timeout
    }
  }

  @Test
  void servesOtherOwnersWhenTheLookupsOfOneHang() throws UnknownHostException {
    AgentUrlGuard guard =
        new AgentUrlGuard(
            Set.of(),
            host -> host.startsWith("slow") ? hang(host) : List.of(TestNames.PUBLIC),
            SHORT);
    for (int i = 0; i < TimeLimitedResolver.MAX_RUNNING_OF_OWNER; i++) {
      assertThat(guard.check("http://slow.example/", "one"))
          .isEqualTo(AgentUrl.Fault.UNRESOLVABLE.refused());
    }

    assertThat(guard.check("http://agent.example/", "one"))
        .isEqualTo(AgentUrl.Fault.TOO_MANY_LOOKUPS.refused());
    assertThatExceptionOfType(UnknownHostException.class)
        .isThrownBy(() -> guard.resolve("agent.example", "one"));

    // a look-up whose thread begins late exceeds the time as well
    await()
        .atMost(SOON)
        .until(() ->
            guard.check("http://agent.example/", "other")
                instanceof AgentUrlGuard.Decision.Allowed);
    await()
        .atMost(SOON)
        .ignoreExceptionsInstanceOf(UnknownHostException.class)
        .until(() -> guard.resolve("agent.example", "other"), List.of(TestNames.PUBLIC)::equals);
  }

  @Test
  void keepsAnInterrupt() {
    AgentUrlGuard guard = new AgentUrlGuard(Set.of(), this::hang, Duration.ofDays(1));
    Thread.currentThread().interrupt();
    assertThat(guard.check("http://slow.example/"))
        .isEqualTo(AgentUrl.Fault.UNRESOLVABLE.refused());
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void doesNotHideAResolverWithABug() {
    AgentUrlGuard guard =
        new AgentUrlGuard(
            Set.of(),
            _ -> {
              throw new IllegalArgumentException("a bug");
            });
    assertThatIllegalStateException().isThrownBy(() -> guard.check("http://agent.example/"));
  }

  @Test
  void looksUpNeitherLiteralAddressesNorMalformedNames() {
    AgentUrlGuard guard =
        new AgentUrlGuard(
            Set.of(),
            host -> {
              throw new AssertionError("asked for " + host);
            });
    assertThat(guard.check("http://8.8.8.8/")).isInstanceOf(AgentUrlGuard.Decision.Allowed.class);
    assertThat(guard.check("http://127.1/")).isEqualTo(AgentUrl.Fault.AMBIGUOUS_HOST.refused());
    assertThat(guard.checkForm("http://agent.example/"))
        .isInstanceOf(AgentUrlGuard.Decision.Allowed.class);
    assertThat(guard.checkForm("http://127.0.0.1/"))
        .isInstanceOfSatisfying(
            AgentUrlGuard.Decision.Refused.class,
            refused -> assertThat(refused.label()).isEqualTo("loopback"));
    assertThat(guard.checkForm("http://a@agent.example/"))
        .isEqualTo(AgentUrl.Fault.USER_INFO.refused());
  }

  @Test
  void refusesANameWithOnePublicAndOnePrivateAddressInEitherOrder() {
    InetAddress inner = InetAddress.ofLiteral("10.0.0.1");
    for (List<InetAddress> both :
        List.of(List.of(TestNames.PUBLIC, inner), List.of(inner, TestNames.PUBLIC))) {
      AgentUrlGuard guard = new AgentUrlGuard(Set.of(), _ -> both);
      assertThat(guard.refusal(both)).contains(AddressClass.PRIVATE);
      assertThat(guard.check("http://agent.example/"))
          .isInstanceOfSatisfying(
              AgentUrlGuard.Decision.Refused.class,
              refused -> assertThat(refused.label()).isEqualTo("private"));
    }
  }
}
