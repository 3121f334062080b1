package dev.muster.agent;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receives pushed messages with a small embedded A2A server.
 *
 * {@snippet :
 * try (AgentLoop loop = agent(PushDelivery.builder(client).port(9000).start())) {
 *   loop.run();
 * }
 * }
 *
 * <p>{@code message/send} (and {@code SendMessage}) goes to the handler, whose text is the answer.
 * A duplicate message, sent because the response was lost, is not handled again: it gets the same
 * answer. The delivery knows the last 1,000 messages until the process ends.
 *
 * <p>The server listens on loopback by default and checks no credential: every client that reaches
 * the port can send messages. {@link #runOnce} sets the handler of the messages.
 *
 * <p>A delegated task can take longer than the Muster server waits for the HTTP response. So the
 * end of a task that took more than 5 s is also reported (R8.4). Until then each heartbeat of an
 * {@link AgentLoop} names the delegation (R8.5). A result above 250 KiB is sent as a message, which
 * holds 16 MiB. A report that cannot be sent is kept in memory and sent later.
 */
public final class PushDelivery implements InboundDelivery, AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(PushDelivery.class);
  private static final Duration SHUTDOWN_TIMEOUT = Duration.ofSeconds(5);

  /** Collects the settings of a delivery. */
  public static final class Builder {

    private final AgentClient client;
    private InetAddress address = InetAddress.getLoopbackAddress();
    private int port;
    private int concurrency = 1;

    private Builder(AgentClient client) {
      this.client = client;
    }

    /** Replaces loopback; put a proxy with TLS and a credential check before another address. */
    public Builder address(InetAddress address) {
      this.address = address;
      return this;
    }

    /** Sets the port, 0..65535; 0, the default, takes any free one. */
    public Builder port(int port) {
      this.port = port;
      return this;
    }

    /** Sets how many messages are handled at once; default 1, as for the workspace. */
    public Builder concurrency(int most) {
      if (most < 1) {
        throw new IllegalArgumentException("concurrency: " + most + " (expected: 1..)");
      }
      this.concurrency = most;
      return this;
    }

    /**
     * Starts to listen. Messages wait up to 30 s for the first {@link #runOnce}.
     *
     * @throws IOException when the port is in use
     */
    public PushDelivery start() throws IOException {
      return new PushDelivery(this);
    }
  }

  private final HttpServer server;
  private final ExecutorService threads;
  private final CancellationToken cancellation = new CancellationToken();
  private final Replies replies;
  private final PushedMessages messages;

  private PushDelivery(Builder builder) throws IOException {
    replies = new Replies(builder.client, new UnsentReplies(null), cancellation);
    messages = new PushedMessages(builder.client, replies, builder.concurrency);
    threads =
        Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("muster-push-", 0).factory());
    server = HttpServer.create(new InetSocketAddress(builder.address, builder.port), 0);
    server.setExecutor(threads);
    server.createContext("/", new PushEndpoint(messages));
    server.start();
  }

  /** Makes a delivery of the messages to this client's workspace. */
  public static Builder builder(AgentClient client) {
    return new Builder(client);
  }

  /** Returns the URL to register, with the bound address and port. */
  public URI url() {
    InetSocketAddress bound = server.getAddress();
    String host = bound.getAddress().getHostAddress();
    String inUrl = host.contains(":") ? "[" + host.replaceFirst("%.*", "") + "]" : host;
    return URI.create("http://" + inUrl + ":" + bound.getPort() + "/a2a");
  }

  /**
   * Sets the handler and sends due kept reports again. Always returns 0, because messages arrive on
   * other threads.
   */
  @Override
  public int runOnce(MessageHandler handler) {
    messages.handledBy(handler);
    replies.sendKept();
    return 0;
  }

  /** Keeps a report that cannot be sent now in memory and sends it later; never throws. */
  @Override
  public void reportFailure(String delegationId, String error, AgentClient client) {
    replies.report(delegationId, new DelegationReport.Failed(error, ""));
  }

  /** Stops the server: waits up to 5 s for open requests, then interrupts them. */
  @Override
  public void stop() {
    messages.stop();
    cancellation.cancel();
    try {
      server.stop((int) SHUTDOWN_TIMEOUT.toSeconds());
    } catch (IllegalStateException e) {
      log.debug("it has been stopped", e);
    }
    threads.shutdownNow();
  }

  /** Calls {@link #stop()}. */
  @Override
  public void close() {
    stop();
  }
}
