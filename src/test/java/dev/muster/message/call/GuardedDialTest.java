package dev.muster.message.call;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.protocol.client.A2aClient;
import dev.muster.protocol.client.A2aErrors;
import dev.muster.protocol.client.A2aRequest;
import dev.muster.protocol.client.A2aResult;
import dev.muster.protocol.client.A2aResult.Answer;
import dev.muster.protocol.client.A2aResult.HttpError;
import dev.muster.protocol.client.A2aResult.SendEndReason;
import dev.muster.protocol.client.A2aResult.Unreachable;
import dev.muster.protocol.client.Deadline;
import dev.muster.protocol.client.FailureKind;
import dev.muster.testing.PeerBehavior;
import dev.muster.testing.TestPeer;
import dev.muster.workspace.agenturl.AddressClass;
import dev.muster.workspace.agenturl.AgentUrlGuard;
import dev.muster.workspace.agenturl.AgentUrlGuard.HostResolver;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The client opens no connection to a forbidden address (R3.3 at the dial, R7.6). */
@Timeout(60)
class GuardedDialTest {

  private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();
  private static final InetAddress PUBLIC = InetAddress.ofLiteral("93.184.215.14");
  private static final Pattern AUTHORITY = Pattern.compile("(?i)(https?://[^/?#\\\\]*)(.*)");
  private static final Pattern ESCAPE = Pattern.compile("\\\\u([0-9a-f]{4})");

  private final TestPeer peer;

  GuardedDialTest() throws IOException {
    peer = TestPeer.start();
  }

  @AfterEach
  void close() throws IOException {
    peer.close();
  }

  private static A2aClient client(Set<AddressClass> allowed, HostResolver resolver) {
    return A2aClient.builder()
        .guard(new TargetCalls.DialGuard(new AgentUrlGuard(allowed, resolver)))
        .pause(_ -> {})
        .build();
  }

  private static A2aResult send(A2aClient client, String url) {
    byte[] body = "{\"method\":\"x\"}".getBytes(StandardCharsets.UTF_8);
    return client.send(
        new A2aRequest(
            "agent-7",
            url,
            body,
            Map.of(),
            Duration.ofSeconds(5),
            Deadline.in(Duration.ofSeconds(20))));
  }

  private void assertNotAllowed(A2aResult result, String url) {
    assertThat(result)
        .as(url)
        .isInstanceOfSatisfying(
            Unreachable.class,
            end -> {
              assertThat(end.last()).isEqualTo(FailureKind.NOT_ALLOWED);
              assertThat(end.why()).isEqualTo(SendEndReason.NOT_RETRYABLE);
            });
    assertThat(result.attempts()).isEqualTo(1);
    assertThat(result.mayBeDelivered()).isFalse();
    assertThat(A2aErrors.text(result))
        .matches("NotAllowed: [a-z-]+ \\[target=agent-7], attempts 1/5, .*")
        .doesNotContain("127.", "::1", "169.254");
    assertThat(peer.connections()).as(url).isZero();
  }

  /** Where a url can have a port, it is that of a peer that counts connections. */
  @Test
  void connectsToNoneOfHundredsOfForbiddenUrls() throws IOException {
    List<String> urls = hostileUrls();
    assertThat(urls).hasSizeGreaterThan(300);
    try (A2aClient client = client(Set.of(), GuardedDialTest::hostile)) {
      for (String url : urls) {
        assertNotAllowed(send(client, url), url);
        String here = AUTHORITY.matcher(url).replaceFirst(this::withPort);
        assertNotAllowed(send(client, here), here);
      }
    }
  }

  private String withPort(MatchResult url) {
    String host = url.group(1).replaceFirst(":\\d+$", "");
    return Matcher.quoteReplacement(host + ":" + peer.port() + url.group(2));
  }

  /** Names that pass the check of the form resolve to the address of that peer. */
  private static List<InetAddress> hostile(String host) {
    return List.of(LOOPBACK);
  }

  private static List<String> hostileUrls() throws IOException {
    try (var in = AgentUrlGuard.class.getResourceAsStream("hostile-urls.txt")) {
      String text =
          new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.US_ASCII);
      return text.lines()
          .filter(line -> !line.isEmpty() && !line.startsWith("#"))
          .map(line -> unescaped(line.split(" ", 2)[1]))
          .toList();
    }
  }

  private static String unescaped(String text) {
    return ESCAPE
        .matcher(text)
        .replaceAll(hit ->
            Matcher.quoteReplacement(Character.toString(Integer.parseInt(hit.group(1), 16))));
  }

  @Test
  void connectsToNoNameWithAForbiddenAddress() {
    Stream.of(
            "127.0.0.1",
            "127.9.9.9",
            "::1",
            "::ffff:127.0.0.1",
            "0.0.0.0",
            "::",
            "169.254.169.254",
            "10.0.0.1",
            "172.16.0.1",
            "192.168.0.1",
            "100.64.0.1",
            "100.100.100.200",
            "fd00::1",
            "fe80::1",
            "224.0.0.1",
            "ff02::1",
            "192.0.2.1",
            "198.18.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "64:ff9b::7f00:1",
            "64:ff9b::a9fe:a9fe",
            "2002:7f00:1::",
            "2001::1")
        .map(InetAddress::ofLiteral)
        .flatMap(bad -> Stream.of(List.of(bad), List.of(PUBLIC, bad), List.of(bad, PUBLIC)))
        .forEach(addresses -> {
          try (A2aClient client = client(Set.of(), _ -> addresses)) {
            String url = "http://agent.example:" + peer.port() + "/";
            assertNotAllowed(send(client, url), addresses.toString());
          }
        });
  }

  /** The name is looked up once for each dial, and the checked address is the dialled one. */
  @Test
  void dialsTheCheckedAddressWhenTheNameChanges() {
    AtomicInteger lookups = new AtomicInteger();
    HostResolver rebinding = _ -> List.of(lookups.getAndIncrement() == 0 ? PUBLIC : LOOPBACK);
    AgentUrlGuard guard = new AgentUrlGuard(Set.of(), rebinding);
    String url = "http://rebinding.example:" + peer.port() + "/";
    assertThat(guard.check(url)).isInstanceOf(AgentUrlGuard.Decision.Allowed.class);
    try (A2aClient client = A2aClient.builder().guard(new TargetCalls.DialGuard(guard)).build()) {
      assertNotAllowed(send(client, url), url);
    }
    assertThat(lookups).hasValue(2);
  }

  @Test
  void followsNoRedirectToAForbiddenAddress() throws IOException {
    try (TestPeer friendly = TestPeer.start();
        A2aClient client = client(Set.of(AddressClass.LOOPBACK), _ -> List.of(LOOPBACK))) {
      for (int status : List.of(301, 302, 303, 307, 308)) {
        friendly.then(PeerBehavior.answer(status, Map.of("Location", peer.url()), ""));
        assertThat(send(client, friendly.url())).isInstanceOf(HttpError.class);
      }
      assertThat(friendly.deliveries()).hasSize(5);
    }
    assertThat(peer.connections()).isZero();
  }

  @Test
  void connectsWhereTheClassIsAllowed() {
    try (A2aClient client = client(Set.of(AddressClass.LOOPBACK), _ -> List.of(LOOPBACK))) {
      assertThat(send(client, peer.url())).isInstanceOf(Answer.class);
      assertThat(send(client, "http://agent.example:" + peer.port() + "/"))
          .isInstanceOf(Answer.class);
    }
    assertThat(peer.connections()).isEqualTo(2);
  }
}
