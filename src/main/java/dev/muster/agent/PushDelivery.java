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
 * Takes messages where the platform calls the agent: a small A2A server.
 *
 * {@snippet :
 * try (AgentLoop loop = agent(PushDelivery.builder(client).port(9000).start())) {
 *   loop.run();
 * }
 * }
 *
 * <p>{@code message/send} (and {@code SendMessage}) goes to the handler, whose text is the answer.
 * A message that comes again, because its answer was lost on the way, is not handled again: it gets
 * the same answer. The last 1,000 are known, for as long as the process lives.
 *
 * <p>It listens on loopback unless told otherwise, and asks for no credential: whoever can reach
 * the port can speak to the agent. The messages are handled by whom {@link #runOnce} names.
 *
 * <p>A delegated task may take longer than the platform waits for an answer over HTTP: the end of a
 * task that took more than 5 s is also reported (R8.4), and until then each heartbeat of an {@link
 * AgentLoop} says that somebody is at it (R8.5). A result of more than 250 KiB is sent as a
 * message, which holds 16 MiB. A report that cannot be sent is kept in memory and sent later.
 */
public final class PushDelivery implements InboundDelivery, AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(PushDelivery.class);
  private static final Duration SHUTDOWN_TIMEOUT = Duration.ofSeconds(5);

  /** What a delivery is made of. */
  public static final class Builder {

    private final AgentClient client;
    private InetAddress address = InetAddress.getLoopbackAddress();
    private int port;
    private int concurrency = 1;

    private Builder(AgentClient client) {
      this.client = client;
    }

    /** Another address than loopback, for which a proxy with TLS and a credential is advised. */
    public Builder address(InetAddress address) {
      this.address = address;
      return this;
    }

    /** 0, the default, is any free one. */
    public Builder port(int port) {
      this.port = port;
      return this;
    }

    /** How many messages are handled at once; 1, as the workspace's own default. */
    public Builder concurrency(int most) {
      if (most < 1) {
        throw new IllegalArgumentException("concurrency: " + most + " (expected: 1..)");
      }
      this.concurrency = most;
      return this;
    }

    /**
     * Listens from now on; messages wait for the first {@link #runOnce}.
     *
     * @throws IOException when the port is taken
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

  /** Makes a delivery of this client's messages. */
  public static Builder builder(AgentClient client) {
    return new Builder(client);
  }

  /** Where it listens, to be registered; with the address that it was bound to. */
  public URI url() {
    InetSocketAddress bound = server.getAddress();
    String host = bound.getAddress().getHostAddress();
    String inUrl = host.contains(":") ? "[" + host.replaceFirst("%.*", "") + "]" : host;
    return URI.create("http://" + inUrl + ":" + bound.getPort() + "/a2a");
  }

  /**
   * Says who handles the messages, which come on their own, and tries again to report what the
   * platform could not be told.
   */
  @Override
  public int runOnce(MessageHandler handler) {
    messages.handledBy(handler);
    replies.sendKept();
    return 0;
  }

  /** Never throws: what cannot be told now is kept in memory, and told later. */
  @Override
  public void reportFailure(String delegationId, String error, AgentClient client) {
    replies.report(delegationId, new DelegationReport.Failed(error, ""));
  }

  /** Waits 5 s for what is being answered, then ends it. */
  @Override
  public void stop() {
    messages.stop();
    cancellation.cancel();
    try {
      server.stop((int) SHUTDOWN_TIMEOUT.toSeconds());
    } catch (IllegalStateException e) {
      log.debug("it is stopped already", e);
    }
    threads.shutdownNow();
  }

  /** {@link #stop()}. */
  @Override
  public void close() {
    stop();
  }
}
