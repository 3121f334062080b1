package dev.muster.identity;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.muster.identity.RateLimitGroup.RateLimitBucket;
import dev.muster.identity.RouteAccess.CallerKind;
import dev.muster.identity.SessionRepository.Person;
import dev.muster.identity.SessionRepository.Session;
import dev.muster.platform.http.AllowedOrigins;
import dev.muster.platform.http.RequestOwner;
import dev.muster.platform.http.WholeReads;
import dev.muster.platform.log.LimitedLog;
import dev.muster.platform.log.ServerVersion;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.JsonBody;
import dev.muster.platform.text.Text;
import dev.muster.platform.work.ReplicaName;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Signs people in to the console and out of it (R1.9). */
@RestController
class SessionController {

  static final int MAX_NAME_LENGTH = 100;
  private static final int MAX_SECRET_LENGTH = 512;

  /** The heartbeat settings of agents, which a page needs to judge their silence. */
  @ConfigurationProperties("muster.heartbeat")
  record Timing(Duration interval, Duration staleAfter) {}

  /** The answer to a sign-in; only this answer contains the page key. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record SignedIn(
      String role, String name, @Nullable UUID workspaceId, Instant expiresAt, String pageKey) {}

  /** The session's owner, and what a page needs to know of the server. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Who(
      UUID id,
      String role,
      String name,
      @Nullable UUID workspaceId,
      Instant expiresAt,
      String version,
      String instance,
      Instant now,
      long staleAfterS,
      long heartbeatIntervalS) {}

  record SessionList(List<Session> sessions, int count) {}

  private static final LimitedLog refused = new LimitedLog(SessionController.class);

  private final Sessions sessions;
  private final SessionCookie cookies;
  private final Credentials credentials;
  private final AuditTrail audit;
  private final ReplicaName replica;
  private final Timing timing;
  private final InstantSource clock;
  private final WholeReads reads;
  private final String version;

  SessionController(
      Sessions sessions,
      SessionCookie cookies,
      Credentials credentials,
      AuditTrail audit,
      ReplicaName replica,
      Timing timing,
      InstantSource clock,
      WholeReads reads,
      ServerVersion version) {
    this.sessions = sessions;
    this.cookies = cookies;
    this.credentials = credentials;
    this.audit = audit;
    this.replica = replica;
    this.timing = timing;
    this.clock = clock;
    this.reads = reads;
    this.version = version.text();
  }

  /** Signs in with a link's code or with a token. */
  @PostMapping("/console/session")
  @RouteAccess(CallerKind.PUBLIC)
  @RateLimitGroup(RateLimitBucket.SIGN_IN)
  @ResponseStatus(HttpStatus.CREATED)
  SignedIn signIn(JsonBody body, HttpServletRequest request, HttpServletResponse response) {
    if (!cookies.isOfOwnPage(request)) {
      throw AllowedOrigins.refusal();
    }
    Sessions.Started started;
    try {
      started = start(body, request, response);
    } catch (ProblemException refusal) {
      refused.log(
          Level.WARN,
          "a sign-in to the console from {} was refused: {}",
          request.getRemoteAddr(),
          refusal.code());
      throw refusal;
    }
    response.addHeader(
        HttpHeaders.SET_COOKIE, cookies.header(request, started.cookie().text(), Sessions.MAX_AGE));
    Person person = started.person();
    return new SignedIn(
        person.role(),
        person.name(),
        person.workspaceId(),
        started.expiresAt(),
        started.pageKey().text());
  }

  /** Starts a session in the place of the one that this browser has. */
  private Sessions.Started start(
      JsonBody body, HttpServletRequest request, HttpServletResponse response) {
    List<String> replaced = cookies.all(request);
    Optional<String> code = body.text("code", MAX_SECRET_LENGTH);
    return code.isPresent()
        ? sessions.redeem(code.get(), replaced, caller -> audit.begin(caller, request, response))
        : sessions.signIn(holder(body), replaced, caller -> audit.begin(caller, request, response));
  }

  /**
   * Identifies the holder of a token. The name of a viewer's or operator's token stays visible
   * beside a name of the person's own choice.
   */
  private Person holder(JsonBody body) {
    String token = body.requiredText("token", MAX_SECRET_LENGTH);
    Optional<String> name = body.text("name", MAX_NAME_LENGTH).filter(text -> !text.isBlank());
    name.ifPresent(SessionController::requireOneLine);
    SecretHash maker = new Secret(token.strip()).hash();
    return switch (credentials.callerOf("Bearer " + token)) {
      case Caller.Admin() -> new Person("operator", name.orElse(AdminToken.NAME), null, maker);
      case Caller.Operator(UUID id, String own) ->
          new Person("operator", beside(own, name), null, maker);
      case Caller.Viewer(UUID id, String own) ->
          new Person("viewer", beside(own, name), null, maker);
      case Caller.Agent(UUID own) -> new Person("agent", name.orElse("agent"), own, maker);
      case Caller.RemovedAgent _, Caller.Anonymous _ -> throw Credentials.unknown();
    };
  }

  private static String beside(String own, Optional<String> name) {
    return name.map(chosen -> chosen + " (" + own + ")").orElse(own);
  }

  /** Returns the session of the request. */
  @GetMapping("/console/session")
  @RouteAccess(CallerKind.VIEWER)
  Who current(HttpServletRequest request) {
    Session session = session(request);
    return new Who(
        session.id(),
        session.role(),
        session.name(),
        session.workspaceId(),
        session.expiresAt(),
        version,
        replica.name(),
        clock.instant(),
        timing.staleAfter().toSeconds(),
        timing.interval().toSeconds());
  }

  /** Signs out: ends the session, or with {@code all} every one of the same token and name. */
  @DeleteMapping("/console/session")
  @RouteAccess(CallerKind.VIEWER)
  @ResponseStatus(HttpStatus.NO_CONTENT)
  void signOut(
      @RequestParam(defaultValue = "false") boolean all,
      HttpServletRequest request,
      HttpServletResponse response) {
    Session session = session(request);
    if (all) {
      sessions.endAllLike(session);
    } else {
      sessions.end(session.id());
    }
    response.addHeader(HttpHeaders.SET_COOKIE, cookies.header(request, "", Duration.ZERO));
    response.setHeader("Clear-Site-Data", "\"cache\", \"storage\"");
  }

  @GetMapping("/console/sessions")
  SessionList list(Caller caller, HttpServletRequest request) {
    AccessChecks.requireAdmin(caller);
    List<Session> live = reads.run(RequestOwner.of(request), sessions::live);
    return new SessionList(live, live.size());
  }

  @DeleteMapping("/console/sessions/{sessionId}")
  @ResponseStatus(HttpStatus.NO_CONTENT)
  void end(Caller caller, @PathVariable UUID sessionId) {
    AccessChecks.requireAdmin(caller);
    if (!sessions.end(sessionId)) {
      throw new ProblemException(ErrorCode.NOT_FOUND, "there is no live session " + sessionId);
    }
  }

  private Session session(HttpServletRequest request) {
    return Credentials.cookieOf(credentials.presented(request))
        .flatMap(sessions::find)
        .orElseThrow(() ->
            new ProblemException(
                ErrorCode.FORBIDDEN, "this wants a session of the console, and got a token"));
  }

  /** Refuses a name that would break lines of logs and lists, or change their direction. */
  static String requireOneLine(String name) {
    if (!Text.isOneLine(name)) {
      throw ProblemException.validation(
          "name: has control characters (expected: one line, without controls and marks of"
              + " direction)");
    }
    return name;
  }
}
