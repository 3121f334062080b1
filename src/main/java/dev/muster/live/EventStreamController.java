package dev.muster.live;

import dev.muster.event.EventLog;
import dev.muster.identity.AccessChecks;
import dev.muster.identity.Caller;
import dev.muster.identity.CredentialRecheck;
import dev.muster.identity.Credentials;
import dev.muster.identity.RouteAccess;
import dev.muster.identity.RouteAccess.CallerKind;
import dev.muster.live.StreamSubscriber.View;
import dev.muster.platform.http.RequestOwner;
import dev.muster.workspace.Workspaces;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.InstantSource;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** Streams server-sent events of all workspaces or of one (R10.4). */
@RestController
class EventStreamController {

  private static final String LAST_EVENT_ID = "Last-Event-ID";

  private final Streams streams;
  private final EventLog events;
  private final InstantSource clock;
  private final Workspaces workspaces;
  private final Credentials credentials;
  private final FrameEncoder encoder;

  EventStreamController(
      Streams streams,
      EventLog events,
      Workspaces workspaces,
      Credentials credentials,
      FrameEncoder encoder,
      InstantSource clock) {
    this.streams = streams;
    this.events = events;
    this.clock = clock;
    this.workspaces = workspaces;
    this.credentials = credentials;
    this.encoder = encoder;
  }

  @GetMapping("/events/stream")
  @RouteAccess(CallerKind.VIEWER)
  void ofAll(Caller caller, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    StreamStart start = start(request);
    AccessChecks.requireReader(caller);
    stream(caller, new EventAudience.Everything(), start, request, response);
  }

  @GetMapping("/workspaces/{id}/events/stream")
  @RouteAccess(CallerKind.VIEWER)
  void ofWorkspace(
      Caller caller,
      @PathVariable UUID id,
      HttpServletRequest request,
      HttpServletResponse response)
      throws IOException {
    StreamStart start = start(request);
    workspaces.requireReaderOf(id, caller);
    stream(caller, new EventAudience.OneWorkspace(id), start, request, response);
  }

  /**
   * Reads the start position. {@code Last-Event-ID} takes precedence over {@code after}: a
   * reconnecting client sends the header with the old url.
   */
  private StreamStart start(HttpServletRequest request) {
    @Nullable String lastEventId = request.getHeader(LAST_EVENT_ID);
    return lastEventId == null || lastEventId.isBlank()
        ? StreamStart.of(request.getParameter("after"), "after", events, clock)
        : StreamStart.of(lastEventId, LAST_EVENT_ID, events, clock);
  }

  private void stream(
      Caller caller,
      EventAudience audience,
      StreamStart start,
      HttpServletRequest request,
      HttpServletResponse response)
      throws IOException {
    response.setContentType("text/event-stream;charset=utf-8");
    response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store, no-transform");
    // without it nginx buffers the response and delays events
    response.setHeader("X-Accel-Buffering", "no");
    if (request.getMethod().equals("HEAD")) {
      return;
    }
    CredentialRecheck recheck =
        new CredentialRecheck(credentials, credentials.presented(request), caller);
    ServerSentSink sink = new ServerSentSink(encoder);
    EventStream stream =
        streams.open(
            StreamKind.SSE,
            new StreamSubscriber(RequestOwner.of(request), audience, recheck, View.EVERYTHING),
            sink,
            start.after());
    try {
      sink.begin(request.startAsync());
      stream.start(start.greeting());
    } catch (IOException | RuntimeException e) {
      stream.end(StreamEnd.GONE);
      throw e;
    }
  }
}
