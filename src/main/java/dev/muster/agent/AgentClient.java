package dev.muster.agent;

import dev.muster.protocol.RuntimeEvent;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;

/**
 * Speaks to the platform for one workspace.
 *
 * {@snippet :
 * AgentClient client =
 *     AgentClient.builder("http://127.0.0.1:8080", workspaceId)
 *         .tokenFile(Path.of("state", "token"))
 *         .build();
 * client.register(Registration.polling("Reviewer"));
 * client.notify("I am here.");
 * Sent sent = client.send(editorId, "How far are you?", Duration.ofSeconds(30));
 * }
 *
 * <p>Calls block, and are safe from any thread. What fails because of the network, or of trouble of
 * the platform that may pass, is tried again (five times within two minutes, with the back-off that
 * the platform itself uses), always as the same message; then, and for every refusal, a {@link
 * MusterException} tells status, code and text. Nothing here writes a token anywhere but into the
 * token's file.
 */
public final class AgentClient {

  private static final Duration BEAT_LIMIT = Duration.ofSeconds(15);
  private static final Duration EVENTS_LIMIT = Duration.ofSeconds(30);

  private final String workspaceId;
  private final ServerHttp http;
  private final TokenSource credential;
  private final WorkspacePath path;
  private final ActivityReader inbox;
  private final MessageSender outbox;
  private final Delegations delegations;
  private volatile Cadence cadence = Cadence.DEFAULT;

  private AgentClient(Builder builder) {
    this.workspaceId = builder.workspaceId;
    this.credential = new TokenSource(builder.token, builder.tokenFile);
    this.http = new ServerHttp(builder.url, credential, builder.http);
    this.path = new WorkspacePath(workspaceId);
    this.inbox = new ActivityReader(http, path);
    this.outbox = new MessageSender(http, path);
    this.delegations = new Delegations(http, path);
  }

  /**
   * Makes a client.
   *
   * @param platformUrl such as {@code http://127.0.0.1:8080}
   * @param workspaceId a UUID
   * @throws IllegalArgumentException when they are none
   */
  public static Builder builder(String platformUrl, String workspaceId) {
    HttpUrl url = HttpUrl.parse(platformUrl);
    if (url == null) {
      throw new IllegalArgumentException(
          "platform url: \"" + platformUrl + "\" (expected: an http or https url)");
    }
    return new Builder(url, WorkspacePath.canonical("workspace id", workspaceId));
  }

  /** What a client is made of. */
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

    /** The workspace's token; it wins over that of a file. */
    public Builder token(String token) {
      if (!token.matches("[!-~]+")) {
        throw new IllegalArgumentException("token: it has characters that no token has");
      }
      this.token = token;
      return this;
    }

    /**
     * Where the token is kept: read at the start and whenever the platform refuses the one in use,
     * and written, for its owner's eyes only, when a registration mints one.
     */
    public Builder tokenFile(Path file) {
      this.tokenFile = file;
      return this;
    }

    /**
     * Shares connections, proxy and TLS with others; time limits and retries stay the library's.
     */
    public Builder http(OkHttpClient http) {
      this.http = http;
      return this;
    }

    /** Opens no connection yet. */
    public AgentClient build() {
      return new AgentClient(this);
    }
  }

  /** The workspace that this client speaks for. */
  public String workspaceId() {
    return workspaceId;
  }

  /** The pace that the platform asked for last. */
  public Cadence cadence() {
    return cadence;
  }

  /** Whether there is a token, given, kept or minted. */
  public boolean hasToken() {
    return credential.token().isPresent();
  }

  /**
   * Says that the agent is here. Without a token, and where the platform lets strangers in, it gets
   * one, and keeps it in the token's file.
   *
   * @return the workspace's status now: {@code online}, or {@code paused}
   * @throws MusterException with 401 or 403 when it is not let in
   * @throws java.io.UncheckedIOException when a fresh token cannot be kept
   */
  public String register(Registration registration) {
    JsonNode answer =
        http.json(
            ServerRequest.post(
                "/registry/register", registration.toJson(workspaceId), RequestTimeouts.USUAL));
    cadence = cadence.with(answer);
    String minted = answer.path("auth_token").asString("");
    if (!minted.isEmpty()) {
      credential.keep(minted);
    }
    return answer.path("workspace_status").asString("");
  }

  /**
   * One heartbeat, tried once: the next one comes anyway. {@link HeartbeatLoop} sends them all.
   *
   * @return the workspace's status now
   */
  public String heartbeat(Heartbeat heartbeat) {
    return heartbeat(heartbeat, new CancellationToken());
  }

  String heartbeat(Heartbeat heartbeat, CancellationToken cancellation) {
    Duration most = cadence.longestGap();
    Duration limit = BEAT_LIMIT.compareTo(most) < 0 ? BEAT_LIMIT : most;
    JsonNode answer =
        http.json(
            ServerRequest.post(
                    "/registry/heartbeat",
                    heartbeat.toJson(workspaceId),
                    RequestTimeouts.once(limit))
                .endedBy(cancellation));
    cadence = cadence.with(answer);
    return answer.path("workspace_status").asString("");
  }

  /** How the platform sees this workspace; also for one that is removed. */
  public WorkspaceState state() {
    return state(RequestTimeouts.USUAL, new CancellationToken());
  }

  WorkspaceState state(RequestTimeouts timeout, CancellationToken cancellation) {
    ServerRequest call = ServerRequest.get(path.to("/state"), timeout).endedBy(cancellation);
    ServerResponse answer = http.exchange(call);
    JsonNode body = answer.body();
    boolean deleted = body.path("deleted").asBoolean(false);
    if (!deleted && (!answer.isSuccess() || body.isMissingNode())) {
      throw answer.failure(call);
    }
    return new WorkspaceState(
        body.path("status").asString(""), body.path("paused").asBoolean(false), deleted);
  }

  /** Siblings, children and parent. */
  public List<Peer> peers() {
    return http.json(
            ServerRequest.get("/registry/" + workspaceId + "/peers", RequestTimeouts.USUAL))
        .valueStream()
        .map(Peer::of)
        .toList();
  }

  /** What is needed to reach one of them; the role is not told here. */
  public Peer discover(String peerId) {
    return Peer.of(
        http.json(
            ServerRequest.get(
                    "/registry/discover/" + WorkspacePath.canonical("peer id", peerId),
                    RequestTimeouts.USUAL)
                .with("X-Workspace-ID", workspaceId)));
  }

  /** {@link #send(String, String, Duration)} that does not wait for peers that poll. */
  public SendResult send(String peerId, String text) {
    return send(peerId, text, Duration.ZERO);
  }

  /**
   * Sends a message to a peer, by the platform. It has one id in all attempts, so it arrives once.
   *
   * @param wait for the answer of a peer that polls, 60 seconds at most; a peer that is called
   *     answers in its own time
   * @throws MusterException when the peer cannot be reached or spoken to
   */
  public SendResult send(String peerId, String text, Duration wait) {
    return send(peerId, text, wait, UUID.randomUUID().toString());
  }

  /**
   * {@link #send(String, String, Duration)} under an id of the caller's choice, which an answer
   * names as {@link InboundMessage#replyTo()}; sent again under the same id it arrives once.
   */
  public SendResult send(String peerId, String text, Duration wait, String messageId) {
    return outbox.send(peerId, text, wait, messageId);
  }

  /**
   * The messages for this agent, oldest first.
   *
   * @param sinceId the row after which to begin; null for all that was not acknowledged
   * @param limit 1..500
   * @param type of rows, usually {@code a2a_receive}
   * @param wait how long the platform may hold the poll until there is a message, 60 s at most
   * @throws CursorLostException when that row is no longer kept
   */
  public List<InboundMessage> fetchInbound(
      @Nullable String sinceId, int limit, String type, Duration wait) {
    return inbox.fetch(sinceId, limit, type, wait, new CancellationToken()).stream()
        .flatMap(row -> InboundMessage.ofRow(row).stream())
        .toList();
  }

  /**
   * Answers a message: a human reads a notification on the canvas, a peer gets a message that names
   * what it answers (and the delegation, if it belongs to one). A text that is larger than the body
   * of the request may be is cut, and says so at its end: 256 KiB for a human, 16 MiB for a peer.
   *
   * @throws IllegalArgumentException when there is nobody to answer: the message is the result of a
   *     delegation, or does not say who it is from
   * @throws MusterException when it could not be delivered, in three attempts
   */
  public void reply(InboundMessage message, String text) {
    send(answer(message, text, UUID.randomUUID().toString()));
  }

  ServerRequest answer(InboundMessage message, String text, String replyId) {
    return outbox.answer(message, text, replyId);
  }

  ServerRequest report(String delegationId, DelegationReport report) {
    return delegations.report(delegationId, report);
  }

  ServerRequest again(String path, JsonNode body, RequestTimeouts timeout) {
    return outbox.again(path, body, timeout);
  }

  void send(ServerRequest call) {
    http.json(call);
  }

  /**
   * Says something to the human at the canvas. When an answer of the platform is lost it is said
   * again, so in the rarest of cases it is read twice. A text that is larger than the body of a
   * notification may be (256 KiB) is cut, and says so at its end.
   */
  public void notify(String text) {
    outbox.notify(text);
  }

  /** All messages up to this {@code seq} are handled: without a cursor, a poll starts after it. */
  public void ack(long seq) {
    inbox.acknowledge(seq);
  }

  /** {@link #delegate(String, String, Optional, Optional)} with no key and the usual deadline. */
  public Delegation delegate(String peerId, String task) {
    return delegate(peerId, task, Optional.empty(), Optional.empty());
  }

  /**
   * Gives a task to a peer. The platform sees to it that it gets there, and tells its end by a
   * message of {@link InboundSource#SYSTEM}.
   *
   * @param key the same key within a day is the same delegation, unless that failed; made up when
   *     empty, so that attempts of this call are one delegation
   * @param deadline 1 second to 7 days; 6 hours when empty
   */
  public Delegation delegate(
      String peerId, String task, Optional<String> key, Optional<Duration> deadline) {
    return delegations.give(peerId, task, key, deadline);
  }

  /** Tells the platform of a delegation that this agent sent on its own; twice is once. */
  public void recordDelegation(String peerId, String task, String delegationId) {
    delegations.record(peerId, task, delegationId);
  }

  /** Reports on a delegation, as the one who gave or got it. */
  public void updateDelegation(String delegationId, DelegationReport report) {
    send(report(delegationId, report));
  }

  /** Says that this agent is still at it; a heartbeat that names the delegation says the same. */
  public void beatDelegation(String delegationId) {
    delegations.heartbeat(delegationId);
  }

  /**
   * Passes on what a sandbox says, in this order: all of it is stored, or none. Tried once, since
   * what is sent twice is stored twice: after a {@link MusterException} without a status it may be
   * there.
   *
   * @param events 1 MiB at most
   */
  public void tell(List<RuntimeEvent> events) {
    ArrayNode envelopes = JsonMapper.shared().createArrayNode();
    events.forEach(event -> envelopes.add(JsonMapper.shared().readTree(event.encode())));
    http.json(
        ServerRequest.post(
            path.to("/runtime-events"), envelopes, RequestTimeouts.once(EVENTS_LIMIT)));
  }

  /**
   * A delegation as it is now.
   *
   * @param wait for its end, 60 s at most
   */
  public Delegation delegation(String delegationId, Duration wait) {
    return delegations.read(delegationId, wait);
  }

  ActivityReader inbox() {
    return inbox;
  }
}
