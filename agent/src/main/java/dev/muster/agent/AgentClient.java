package dev.muster.agent;

import dev.muster.protocol.RuntimeEvent;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;

/**
 * Calls the server's API on behalf of one workspace.
 *
 * {@snippet :
 * AgentClient client =
 *     AgentClient.builder("http://127.0.0.1:8080", workspaceId)
 *         .tokenFile(Path.of("state", "token"))
 *         .build();
 * client.register(Registration.polling("Reviewer"));
 * client.notify("I am here.");
 * SendResult sent = client.send(editorId, "How far are you?", Duration.ofSeconds(30));
 * }
 *
 * <p>Calls block and are safe from any thread. Network failures and transient server errors are
 * retried, always as the same message. The default is 5 attempts within 2 minutes, with the
 * server's own back-off. After the last attempt, and for every refusal, a {@link MusterException}
 * carries status, code and text. The client writes tokens to the token file only.
 */
public final class AgentClient {

  /**
   * Holds the server's state of the agent's workspace.
   *
   * @param status such as {@code online}, {@code degraded} or {@code paused}
   * @param deleted whether the workspace is removed or never existed; the agent must end
   */
  public record WorkspaceState(String status, boolean paused, boolean deleted) {}

  private static final Duration HEARTBEAT_LIMIT = Duration.ofSeconds(15);
  private static final Duration EVENTS_LIMIT = Duration.ofSeconds(30);

  private final String workspaceId;
  private final ServerHttp http;
  private final TokenSource credential;
  private final WorkspacePath path;
  private final ActivityReader reader;
  private final MessageSender sender;
  private final Delegations delegations;
  private final AtomicReference<Cadence> cadence;

  private AgentClient(Builder builder) {
    this.workspaceId = builder.workspaceId;
    this.credential = new TokenSource(builder.token, builder.tokenFile);
    this.http = new ServerHttp(builder.url, credential, builder.http);
    this.path = new WorkspacePath(workspaceId);
    this.reader = new ActivityReader(http, path);
    this.sender = new MessageSender(http, path);
    this.delegations = new Delegations(http, path, "");
    this.cadence = new AtomicReference<>(Cadence.DEFAULT);
  }

  private AgentClient(AgentClient whole, String delegationId) {
    this.workspaceId = whole.workspaceId;
    this.credential = whole.credential;
    this.http = whole.http;
    this.path = whole.path;
    this.reader = whole.reader;
    this.sender = whole.sender;
    this.delegations = new Delegations(http, path, delegationId);
    this.cadence = whole.cadence;
  }

  /**
   * Returns this client for the work on one delegation. Delegations that it creates have that one
   * as their parent, so that people can follow causes. A {@link MessageHandler} of a loop is given
   * such a client.
   *
   * @param delegationId a delegation of this workspace, as caller or callee; another is ignored
   */
  public AgentClient workingOn(String delegationId) {
    return delegationId.isEmpty() ? this : new AgentClient(this, delegationId);
  }

  /**
   * Makes a client.
   *
   * @param serverUrl the http or https URL of the server, such as {@code http://127.0.0.1:8080}
   * @param workspaceId a UUID
   * @throws IllegalArgumentException when the URL or the UUID is malformed
   */
  public static Builder builder(String serverUrl, String workspaceId) {
    HttpUrl url = HttpUrl.parse(serverUrl);
    if (url == null) {
      throw new IllegalArgumentException(
          "server url: \"" + serverUrl + "\" (expected: an http or https url)");
    }
    return new Builder(url, WorkspacePath.canonical("workspace id", workspaceId));
  }

  /** Collects the settings of a client. */
  public static final class Builder {

    private final HttpUrl url;
    private final String workspaceId;
    private @Nullable String token;
    private @Nullable Path tokenFile;
    private @Nullable OkHttpClient http;

    private Builder(HttpUrl url, String workspaceId) {
      this.url = url;
      this.workspaceId = workspaceId;
    }

    /** Sets the workspace's token; it takes precedence over the token file. */
    public Builder token(String token) {
      if (!token.matches("[!-~]+")) {
        throw new IllegalArgumentException("token: it has characters that no token has");
      }
      this.token = token;
      return this;
    }

    /**
     * Sets the file that keeps the token. The client reads it at the start and after each 401. It
     * writes the file, readable by its owner only, when a registration mints a token.
     */
    public Builder tokenFile(Path file) {
      this.tokenFile = file;
      return this;
    }

    /**
     * Sets the HTTP client whose connections, proxy and TLS are used. Time limits and retries stay
     * those of this library.
     */
    public Builder http(OkHttpClient http) {
      this.http = http;
      return this;
    }

    /** Makes the client without opening a connection. */
    public AgentClient build() {
      return new AgentClient(this);
    }
  }

  /** Returns the id of the workspace that this client acts for. */
  public String workspaceId() {
    return workspaceId;
  }

  /** Returns the intervals of the server's latest response, or the defaults. */
  public Cadence cadence() {
    return cadence.get();
  }

  /** Returns whether a token was given, read from the file or minted. */
  public boolean hasToken() {
    return credential.token().isPresent();
  }

  /**
   * Registers the agent. A server that admits agents without a token mints one, which the client
   * keeps in the token file.
   *
   * @return the workspace's status now: {@code online} or {@code paused}
   * @throws MusterException with 401 or 403 when the server refuses the agent
   * @throws java.io.UncheckedIOException when a minted token cannot be written
   */
  public String register(Registration registration) {
    JsonNode answer =
        http.json(
            ServerRequest.post(
                "/registry/register", registration.toJson(workspaceId), RequestTimeouts.USUAL));
    cadence.updateAndGet(known -> known.with(answer));
    String minted = answer.path("auth_token").asString("");
    if (!minted.isEmpty()) {
      credential.keep(minted);
    }
    return answer.path("workspace_status").asString("");
  }

  /**
   * Sends one heartbeat in one attempt. {@link HeartbeatLoop} sends them periodically.
   *
   * @return the workspace's status now
   */
  public String heartbeat(Heartbeat heartbeat) {
    return heartbeat(heartbeat, new CancellationToken()).workspaceStatus();
  }

  /**
   * The response to a heartbeat.
   *
   * @param restartRequestedAt when a restart of the agent was requested, while it is
   */
  record HeartbeatResponse(String workspaceStatus, Optional<Instant> restartRequestedAt) {

    static HeartbeatResponse of(JsonNode body) {
      return new HeartbeatResponse(
          body.path("workspace_status").asString(""),
          time(body.path("restart_requested_at").asString("")));
    }

    private static Optional<Instant> time(String text) {
      try {
        return text.isEmpty() ? Optional.empty() : Optional.of(Instant.parse(text));
      } catch (DateTimeParseException unreadable) {
        return Optional.empty();
      }
    }
  }

  HeartbeatResponse heartbeat(Heartbeat heartbeat, CancellationToken cancellation) {
    Duration most = cadence.get().longestGap();
    Duration limit = HEARTBEAT_LIMIT.compareTo(most) < 0 ? HEARTBEAT_LIMIT : most;
    JsonNode answer =
        http.json(
            ServerRequest.post(
                    "/registry/heartbeat",
                    heartbeat.toJson(workspaceId),
                    RequestTimeouts.once(limit))
                .endedBy(cancellation));
    cadence.updateAndGet(known -> known.with(answer));
    return HeartbeatResponse.of(answer);
  }

  /** Reads the server's state of this workspace, also when it is removed. */
  public WorkspaceState state() {
    return state(RequestTimeouts.USUAL, new CancellationToken());
  }

  WorkspaceState state(RequestTimeouts timeouts, CancellationToken cancellation) {
    ServerRequest call = ServerRequest.get(path.to("/state"), timeouts).endedBy(cancellation);
    ServerResponse answer = http.exchange(call);
    JsonNode body = answer.body();
    boolean deleted = body.path("deleted").asBoolean(false);
    if (!deleted && (!answer.isSuccess() || body.isMissingNode())) {
      throw answer.failure(call);
    }
    return new WorkspaceState(
        body.path("status").asString(""), body.path("paused").asBoolean(false), deleted);
  }

  /** Lists the siblings, the children and the parent of this workspace. */
  public List<Peer> peers() {
    return http.json(
            ServerRequest.get("/registry/" + workspaceId + "/peers", RequestTimeouts.USUAL))
        .valueStream()
        .map(Peer::of)
        .toList();
  }

  /** Reads what is needed to reach one peer; the role is empty here. */
  public Peer discover(String peerId) {
    return Peer.of(
        http.json(
            ServerRequest.get(
                    "/registry/discover/" + WorkspacePath.canonical("peer id", peerId),
                    RequestTimeouts.USUAL)
                .with("X-Workspace-ID", workspaceId)));
  }

  /** {@link #send(String, String, Duration)} without a wait for poll agents. */
  public SendResult send(String peerId, String text) {
    return send(peerId, text, Duration.ZERO);
  }

  /**
   * Sends a message to a peer through the server. All attempts carry one id, so it arrives once.
   *
   * @param wait how long to wait for the answer of a poll agent, 60 s at most; a push agent answers
   *     in its own time
   * @throws MusterException when the peer is unreachable or the server refuses the message
   */
  public SendResult send(String peerId, String text, Duration wait) {
    return send(peerId, text, wait, UUID.randomUUID().toString());
  }

  /**
   * {@link #send(String, String, Duration)} with a given message id. An answer carries the id as
   * {@link InboundMessage#replyTo()}. A second send with the same id does not arrive again.
   */
  public SendResult send(String peerId, String text, Duration wait, String messageId) {
    return sender.send(peerId, text, wait, messageId);
  }

  /**
   * Fetches the messages for this agent, oldest first.
   *
   * @param sinceId the activity row after which to begin; null for all unacknowledged rows
   * @param limit the maximum number of rows, 1..500
   * @param type the type of the rows, usually {@code a2a_receive}
   * @param wait how long the server may hold the poll until there is a message, 60 s at most
   * @throws CursorLostException when the server no longer keeps the row {@code sinceId}
   */
  public List<InboundMessage> fetchInbound(
      @Nullable String sinceId, int limit, String type, Duration wait) {
    return reader.fetch(sinceId, limit, type, wait, new CancellationToken()).stream()
        .flatMap(row -> InboundMessage.ofRow(row).stream())
        .toList();
  }

  /**
   * Answers a message. A human gets a notification on the canvas. A peer gets a message with the id
   * of the answered one, and with the delegation id if there is one. A text above the body limit
   * (256 KiB for a human, 16 MiB for a peer) is cut, with a note at its end.
   *
   * @throws IllegalArgumentException when the message has no sender to answer: it is the result of
   *     a delegation, or its source is unknown
   * @throws MusterException when three attempts did not deliver it
   */
  public void reply(InboundMessage message, String text) {
    send(answer(message, text, UUID.randomUUID().toString()));
  }

  ServerRequest answer(InboundMessage message, String text, String replyId) {
    return sender.answer(message, text, replyId);
  }

  ServerRequest report(String delegationId, DelegationReport report) {
    return delegations.report(delegationId, report);
  }

  ServerRequest again(String path, JsonNode body, RequestTimeouts timeouts) {
    return sender.again(path, body, timeouts);
  }

  void send(ServerRequest call) {
    http.json(call);
  }

  /**
   * Sends a notification to the canvas. A retry after a lost response can show it twice, because a
   * notification has no id. A text above the body limit (256 KiB) is cut, with a note at its end.
   */
  public void notify(String text) {
    sender.notify(text);
  }

  /** Acknowledges rows up to this {@code seq}; a poll without a cursor starts after it. */
  public void ack(long seq) {
    reader.acknowledge(seq);
  }

  /** {@link #delegate(String, String, Optional, Optional)} with a random key and 6 h deadline. */
  public Delegation delegate(String peerId, String task) {
    return delegate(peerId, task, Optional.empty(), Optional.empty());
  }

  /**
   * Delegates a task to a peer. The server delivers it and reports its end by a message of {@link
   * InboundSource#SYSTEM}.
   *
   * @param key the idempotency key (R8.2): the same key within a day yields the same delegation,
   *     unless that failed; random when empty, so that retries of this call make one delegation
   * @param deadline 1 s to 7 days; 6 h when empty
   */
  public Delegation delegate(
      String peerId, String task, Optional<String> key, Optional<Duration> deadline) {
    return delegations.give(peerId, task, key, deadline);
  }

  /** Records a delegation that this agent sent itself (R8.4); idempotent. */
  public void recordDelegation(String peerId, String task, String delegationId) {
    delegations.record(peerId, task, delegationId);
  }

  /** Reports on a delegation as its caller or its callee (R8.4). */
  public void updateDelegation(String delegationId, DelegationReport report) {
    send(report(delegationId, report));
  }

  /** Sends a heartbeat of one delegation (R8.5), as a workspace heartbeat that names it does. */
  public void heartbeatDelegation(String delegationId) {
    delegations.heartbeat(delegationId);
  }

  /**
   * Sends runtime events of a sandbox in this order; the server stores all or none. There is one
   * attempt, because a retry could store the events twice. After a {@link MusterException} with
   * status 0 the events may be stored.
   *
   * @param events 1 MiB of JSON at most
   */
  public void sendRuntimeEvents(List<RuntimeEvent> events) {
    ArrayNode envelopes = JsonMapper.shared().createArrayNode();
    events.forEach(event -> envelopes.add(JsonMapper.shared().readTree(event.encode())));
    http.json(
        ServerRequest.post(
            path.to("/runtime-events"), envelopes, RequestTimeouts.once(EVENTS_LIMIT)));
  }

  /**
   * Reads a delegation.
   *
   * @param wait how long the server may hold the request until the delegation ends, 60 s at most
   */
  public Delegation delegation(String delegationId, Duration wait) {
    return delegations.read(delegationId, wait);
  }

  ActivityReader inbox() {
    return reader;
  }
}
