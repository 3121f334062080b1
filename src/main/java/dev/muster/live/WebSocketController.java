package dev.muster.live;

import dev.muster.event.EventLog;
import dev.muster.identity.AccessChecks;
import dev.muster.identity.Caller;
import dev.muster.identity.CredentialRecheck;
import dev.muster.identity.Credentials;
import dev.muster.identity.RateLimitGroup;
import dev.muster.identity.RateLimitGroup.RateLimitBucket;
import dev.muster.identity.RequestAuthentication;
import dev.muster.identity.RouteAccess;
import dev.muster.identity.RouteAccess.CallerKind;
import dev.muster.live.StreamSubscriber.View;
import dev.muster.platform.http.AllowedOrigins;
import dev.muster.platform.http.RequestOwner;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.Ids;
import dev.muster.workspace.HierarchyCache;
import dev.muster.workspace.Workspaces;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.eclipse.jetty.ee11.websocket.server.JettyServerUpgradeResponse;
import org.eclipse.jetty.ee11.websocket.server.JettyWebSocketServerContainer;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Serves {@code GET /ws} (R10.3). It checks everything before the upgrade, so a refusal is an
 * ordinary HTTP response.
 */
@RestController
class WebSocketController {

  private static final String WORKSPACE = "X-Workspace-ID";

  private final Streams streams;
  private final EventLog events;
  private final InstantSource clock;
  private final HierarchyCache hierarchy;
  private final RequestAuthentication authentication;
  private final Credentials credentials;
  private final FrameEncoder encoder;
  private final ConsoleEncoder consoleEncoder;
  private final Workspaces workspaces;
  private final AllowedOrigins origins;

  WebSocketController(
      Streams streams,
      EventLog events,
      HierarchyCache hierarchy,
      RequestAuthentication authentication,
      Credentials credentials,
      FrameEncoder encoder,
      ConsoleEncoder consoleEncoder,
      Workspaces workspaces,
      AllowedOrigins origins,
      InstantSource clock) {
    this.streams = streams;
    this.events = events;
    this.clock = clock;
    this.hierarchy = hierarchy;
    this.authentication = authentication;
    this.credentials = credentials;
    this.encoder = encoder;
    this.consoleEncoder = consoleEncoder;
    this.workspaces = workspaces;
    this.origins = origins;
  }

  /** Authenticates here, not in the interceptor. A browser sends its token in another header. */
  @GetMapping("/ws")
  @RouteAccess(CallerKind.PUBLIC)
  @RateLimitGroup(RateLimitBucket.NONE)
  void open(HttpServletRequest request, HttpServletResponse response) throws IOException {
    @Nullable String authorization = WebSocketCredential.presented(request, credentials);
    Caller caller =
        authentication.admit(
            request, response, authorization, Set.of(CallerKind.VIEWER), RateLimitBucket.GENERAL);
    View view = view(request);
    EventAudience audience = audience(caller, request);
    origins.requireAllowed(request);
    StreamStart start = StreamStart.of(request.getParameter("after"), "after", events, clock);
    requireUpgrade(request, response);
    CredentialRecheck recheck = new CredentialRecheck(credentials, authorization, caller);
    upgrade(
        new StreamSubscriber(RequestOwner.of(request), audience, recheck, view),
        start,
        request,
        response);
  }

  private static View view(HttpServletRequest request) {
    @Nullable String view = request.getParameter("view");
    if (view == null || view.isEmpty()) {
      return View.EVERYTHING;
    }
    if (!view.equals("console")) {
      throw ProblemException.validation("view: not usable (expected: console, or none)");
    }
    return View.CONSOLE;
  }

  /** Returns the audience of the caller, or that of the one workspace that the request names. */
  private EventAudience audience(Caller caller, HttpServletRequest request) {
    EventAudience all = viewer(caller, request);
    @Nullable String one = request.getParameter("workspace_id");
    if (one == null || one.isEmpty()) {
      return all;
    }
    UUID id = Ids.parse(one);
    workspaces.requireReaderOf(id, caller);
    return new EventAudience.OneWorkspace(id);
  }

  private EventAudience viewer(Caller caller, HttpServletRequest request) {
    return switch (caller) {
      case Caller.Anonymous() -> throw Credentials.missing();
      case Caller.RemovedAgent(UUID own) -> throw Credentials.unknown();
      case Caller.Admin(), Caller.Operator _, Caller.Viewer _ -> new EventAudience.Everything();
      case Caller.Agent(UUID own) -> {
        @Nullable String named = request.getHeader(WORKSPACE);
        if (named != null && !named.isEmpty()) {
          AccessChecks.requireSpeakerFor(Ids.parse(named), caller);
        }
        hierarchy.load();
        yield new EventAudience.Family(own, hierarchy);
      }
    };
  }

  private static void requireUpgrade(HttpServletRequest request, HttpServletResponse response) {
    if (!"websocket".equalsIgnoreCase(request.getHeader(HttpHeaders.UPGRADE))) {
      response.setHeader(HttpHeaders.UPGRADE, "websocket");
      throw new ProblemException(
          ErrorCode.UPGRADE_REQUIRED,
          "this is a WebSocket (expected: a request with the header Upgrade: websocket)");
    }
    if (request.getHeader("Sec-WebSocket-Key") == null
        || !"13".equals(request.getHeader("Sec-WebSocket-Version"))) {
      response.setHeader("Sec-WebSocket-Version", "13");
      throw noHandshake();
    }
  }

  private void upgrade(
      StreamSubscriber subscriber,
      StreamStart start,
      HttpServletRequest request,
      HttpServletResponse response)
      throws IOException {
    WebSocketSink sink =
        new WebSocketSink(
            switch (subscriber.view()) {
              case EVERYTHING -> encoder::forWebSocket;
              case CONSOLE -> consoleEncoder::batches;
            });
    EventStream stream = streams.open(StreamKind.WEBSOCKET, subscriber, sink, start.after());
    sink.serve(stream, start.greeting());
    boolean upgraded = false;
    try {
      upgraded =
          JettyWebSocketServerContainer.getContainer(request.getServletContext())
              .upgrade((asked, answer) -> accepted(request, answer, sink), request, response);
    } finally {
      if (!upgraded) {
        stream.end(StreamEnd.GONE);
      }
    }
    if (!upgraded && !response.isCommitted()) {
      throw noHandshake();
    }
  }

  private static ProblemException noHandshake() {
    return new ProblemException(
        ErrorCode.BAD_REQUEST,
        "the request is no WebSocket handshake (expected: version 13, RFC 6455, section 4.1)");
  }

  private static WebSocketSink accepted(
      HttpServletRequest request, JettyServerUpgradeResponse answer, WebSocketSink sink) {
    WebSocketCredential.requestedToken(request).ifPresent(answer::setAcceptedSubProtocol);
    // compression would need hundreds of KiB of memory per socket
    answer.setExtensions(List.of());
    return sink;
  }
}
