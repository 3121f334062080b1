package dev.muster.workspace.agenturl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.muster.workspace.agenturl.AgentUrlGuard.AddressNotAllowedException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.UnknownHostException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import okhttp3.Dns;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The guard applies to the dialled address (R3.3), with the real client and a listener on loopback.
 */
@Timeout(30)
class AgentUrlGuardDialTest {
  private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

  private final ServerSocketChannel listener;

  AgentUrlGuardDialTest() throws IOException {
    listener = ServerSocketChannel.open();
  }

  @BeforeEach
  void listen() throws IOException {
    listener.bind(new InetSocketAddress(LOOPBACK, 0)).configureBlocking(false);
  }

  @AfterEach
  void stopListening() throws IOException {
    listener.close();
  }

  @Test
  void refusesANameWhoseAddressChanges() throws IOException {
    AtomicInteger lookups = new AtomicInteger();
    AgentUrlGuard guard =
        new AgentUrlGuard(
            Set.of(), _ -> List.of(lookups.getAndIncrement() == 0 ? TestNames.PUBLIC : LOOPBACK));
    String url = "http://rebinding.example:" + listener.socket().getLocalPort() + "/";

    assertThat(guard.check(url)).isInstanceOf(AgentUrlGuard.Decision.Allowed.class);
    assertThatExceptionOfType(AddressNotAllowedException.class)
        .isThrownBy(() -> dial(url, guard::resolve))
        .withMessage("agent url not allowed: loopback")
        .returns(AddressClass.LOOPBACK, AddressNotAllowedException::addressClass);
    assertThat(hasBeenDialled()).isFalse();
  }

  @Test
  void dialsThatNameWhenItsClassIsAllowed() throws IOException {
    AgentUrlGuard guard = new AgentUrlGuard(Set.of(AddressClass.LOOPBACK), _ -> List.of(LOOPBACK));
    String url = "http://rebinding.example:" + listener.socket().getLocalPort() + "/";
    assertThatExceptionOfType(IOException.class).isThrownBy(() -> dial(url, guard::resolve));
    assertThat(hasBeenDialled()).isTrue();
  }

  /** Why each dial needs {@code checkForm}: the client does not look up literal addresses. */
  @Test
  void isNotCalledByTheClientForALiteralAddress() throws IOException {
    AgentUrlGuard guard = new AgentUrlGuard(Set.of(), new TestNames());
    String url = "http://127.0.0.1:" + listener.socket().getLocalPort() + "/";
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> dial(url, guard::resolve))
        .isNotInstanceOf(UnknownHostException.class);
    assertThat(hasBeenDialled()).isTrue();
    assertThat(guard.checkForm(url)).isInstanceOf(AgentUrlGuard.Decision.Refused.class);
  }

  @Test
  void hasNoAddressesForANameWithoutAny() {
    AgentUrlGuard guard = new AgentUrlGuard(Set.of(), new TestNames());
    assertThatExceptionOfType(UnknownHostException.class)
        .isThrownBy(() -> guard.resolve("empty.test"))
        .isNotInstanceOf(AddressNotAllowedException.class);
  }

  /** Makes one call without an answer: the listener accepts and stays silent. */
  private static void dial(String url, Dns dns) throws IOException {
    OkHttpClient client =
        new OkHttpClient.Builder()
            .dns(dns)
            .proxy(Proxy.NO_PROXY)
            .followRedirects(false)
            .retryOnConnectionFailure(false)
            .readTimeout(Duration.ofMillis(100))
            .build();
    try (var _ = client.newCall(new Request.Builder().url(url).build()).execute()) {
      throw new AssertionError("the listener does not answer");
    } finally {
      client.dispatcher().executorService().shutdown();
      client.connectionPool().evictAll();
    }
  }

  private boolean hasBeenDialled() throws IOException {
    try (@Nullable SocketChannel accepted = listener.accept()) {
      return accepted != null;
    }
  }
}
