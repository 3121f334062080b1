package dev.muster.message.feed;

import dev.muster.identity.AuditTrail;
import dev.muster.identity.Caller;
import dev.muster.identity.RouteAccess;
import dev.muster.identity.RouteAccess.CallerKind;
import dev.muster.message.AppendResult;
import dev.muster.message.flow.ReplyCorrelation;
import dev.muster.message.store.MessageStore;
import dev.muster.platform.http.BodyReader;
import dev.muster.platform.http.NameWarnings;
import dev.muster.platform.log.LimitedLog;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.JsonBody;
import dev.muster.workspace.Workspaces;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Map;
import java.util.UUID;
import org.slf4j.event.Level;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Serves an agent's writes into its own feed: reports, notifications, acknowledgements. */
@RestController
class ActivityController {

  private static final LimitedLog log = new LimitedLog(ActivityController.class);
  private static final int MAX_REPORT_BYTES = 1024 * BodyReader.KIB;

  private final Workspaces workspaces;
  private final MessageStore store;
  private final FeedHeads heads;
  private final AuditTrail audit;
  private final BodyReader bodies;
  private final NameWarnings names;
  private final JsonMapper json;
  private final ReplyCorrelation replies;

  ActivityController(
      Workspaces workspaces,
      MessageStore store,
      FeedHeads heads,
      AuditTrail audit,
      BodyReader bodies,
      NameWarnings names,
      JsonMapper json,
      ReplyCorrelation replies) {
    this.workspaces = workspaces;
    this.store = store;
    this.heads = heads;
    this.audit = audit;
    this.bodies = bodies;
    this.names = names;
    this.json = json;
    this.replies = replies;
  }

  record Logged(String status, UUID id, long seq) {}

  @PostMapping("/workspaces/{id}/activity")
  @RouteAccess(CallerKind.REMOVED_AGENT)
  Logged report(
      Caller caller,
      @PathVariable UUID id,
      HttpServletRequest request,
      HttpServletResponse response)
      throws IOException {
    byte[] body = bodies.read(request, MAX_REPORT_BYTES);
    ReportedActivity report = ReportedActivity.read(id, names.parse(body, request, response));
    workspaces.requireTrustedSpeakerFor(id, caller);
    report.requireOwnName();
    AppendResult.Stored stored = store.appendOwn(report.row());
    return new Logged("logged", stored.id(), stored.seq());
  }

  @PostMapping("/workspaces/{id}/notify")
  @RouteAccess(CallerKind.REMOVED_AGENT)
  Map<String, String> notify(Caller caller, @PathVariable UUID id, JsonBody body) {
    Notification notification = Notification.read(body);
    workspaces.requireSpeakerFor(id, caller);
    AppendResult.Stored stored = store.appendOwn(notification.row(id, json));
    notification
        .replyTo()
        .ifPresent(answered -> report(id, answered, notification.asMessage(stored.id())));
    return Map.of("status", "sent");
  }

  /** A failure does not change that the notification is stored. */
  private void report(UUID workspaceId, String answered, ObjectNode answer) {
    try {
      replies.answered(workspaceId, answered, answer);
    } catch (RuntimeException e) {
      log.log(Level.WARN, "the sender that waits for a notification was not told of it", e);
    }
  }

  record Acknowledged(long lastAckedSeq) {}

  @PostMapping("/workspaces/{id}/activity/ack")
  @RouteAccess(CallerKind.REMOVED_AGENT)
  Acknowledged acknowledge(Caller caller, @PathVariable UUID id, JsonBody body) {
    long seq =
        body.longInteger("acked_seq", 0, Long.MAX_VALUE)
            .orElseThrow(() ->
                ProblemException.validation(
                    "acked_seq is missing (expected: the seq of the last row that was handled)"));
    workspaces.requireSpeakerFor(id, caller);
    return new Acknowledged(audit.change(() -> heads.acknowledge(id, seq)));
  }
}
