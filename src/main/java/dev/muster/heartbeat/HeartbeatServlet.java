package dev.muster.heartbeat;

import dev.muster.heartbeat.Heartbeats.HeartbeatResult;
import dev.muster.identity.AuditTrail;
import dev.muster.identity.Caller;
import dev.muster.identity.RateLimitGroup.RateLimitBucket;
import dev.muster.identity.RequestAuthentication;
import dev.muster.identity.RouteAccess.CallerKind;
import dev.muster.platform.http.BodyReader;
import dev.muster.platform.http.NameWarnings;
import dev.muster.platform.http.ProblemWriter;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.workspace.Workspaces;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Set;
import java.util.UUID;
import org.springframework.http.HttpHeaders;
import org.springframework.web.filter.ServerHttpObservationFilter;

/**
 * Serves {@code POST /registry/heartbeat} (R4.1), the most frequent request.
 *
 * <p>It is a plain servlet behind the same filters as all other routes.
 */
final class HeartbeatServlet extends HttpServlet {

  static final String PATH = "/registry/heartbeat";

  private static final int MAX_BODY_BYTES = 64 * BodyReader.KIB;
  private static final Set<CallerKind> REMOVED_AGENT = Set.of(CallerKind.REMOVED_AGENT);

  private final transient RequestAuthentication authentication;
  private final transient BodyReader bodies;
  private final transient NameWarnings names;
  private final transient Workspaces workspaces;
  private final transient Heartbeats heartbeats;
  private final transient HeartbeatResponses answers;
  private final transient ProblemWriter problems;

  HeartbeatServlet(
      RequestAuthentication authentication,
      BodyReader bodies,
      NameWarnings names,
      Workspaces workspaces,
      Heartbeats heartbeats,
      HeartbeatResponses answers,
      ProblemWriter problems) {
    this.authentication = authentication;
    this.bodies = bodies;
    this.names = names;
    this.workspaces = workspaces;
    this.heartbeats = heartbeats;
    this.answers = answers;
    this.problems = problems;
  }

  @Override
  protected void service(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    ServerHttpObservationFilter.findObservationContext(request)
        .ifPresent(context -> context.setPathPattern(PATH));
    try {
      requirePost(request, response);
      answers.write(recorded(request, response), response);
    } catch (IOException e) {
      throw e;
    } catch (RuntimeException e) {
      problems.write(e, response);
    }
  }

  private HeartbeatResult.Recorded recorded(
      HttpServletRequest request, HttpServletResponse response) throws IOException {
    Caller caller =
        authentication.admit(request, response, REMOVED_AGENT, RateLimitBucket.HEARTBEAT);
    byte[] body = bodies.read(request, MAX_BODY_BYTES);
    Heartbeat heartbeat = HeartbeatParser.read(names.parse(body, request, response));
    UUID id = heartbeat.workspaceId();
    boolean ofItself = caller instanceof Caller.Agent(UUID own) && own.equals(id);
    if (!ofItself) {
      workspaces.requireSpeakerFor(id, caller);
      AuditTrail.addTarget(id);
    }
    if (heartbeat.agentCard() != null) {
      workspaces.requireUsableCard(id, heartbeat.agentCard());
    }
    return switch (heartbeats.record(heartbeat)) {
      case HeartbeatResult.Recorded recorded -> recorded;
      case HeartbeatResult.Removed(), HeartbeatResult.Unknown() -> {
        workspaces.requireSpeakerFor(id, caller);
        throw new IllegalStateException(
            "a heartbeat found no live workspace " + id + " where there is one");
      }
    };
  }

  private static void requirePost(HttpServletRequest request, HttpServletResponse response) {
    if (!request.getMethod().equals("POST")) {
      response.setHeader(HttpHeaders.ALLOW, "POST");
      throw new ProblemException(
          ErrorCode.METHOD_NOT_ALLOWED,
          request.getMethod() + " is not allowed here; the header Allow names what is");
    }
  }
}
