package dev.muster.a2a;

import dev.muster.activity.Appended;
import dev.muster.activity.Feeds;
import dev.muster.activity.NewActivity;
import dev.muster.identity.Caller;
import dev.muster.platform.json.LosslessJson;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.protocol.MessageContent;
import dev.muster.workspace.DeliveryMode;
import dev.muster.workspace.Target;
import dev.muster.workspace.Workspaces;
import java.util.UUID;
import org.springframework.stereotype.Service;

/** Brings requests to agents: into the feeds of those that poll (R7.4, R7.5). */
@Service
class Proxy {

  private final Workspaces workspaces;
  private final Feeds feeds;

  Proxy(Workspaces workspaces, Feeds feeds) {
    this.workspaces = workspaces;
    this.feeds = feeds;
  }

  /** Returns when the request is stored; a repeated message gets the answer of its first time. */
  Queued deliver(Caller caller, Sender sender, UUID targetId, NormalRequest request) {
    Target target = workspaces.requireTarget(targetId, caller);
    if (target.deliveryMode() == DeliveryMode.PUSH) {
      throw ProblemException.unavailable(
          "delivery to push-mode agents is not there yet; let the agent register with delivery_mode"
              + " poll");
    }
    return switch (feeds.append(inbound(target, sender, request))) {
      case Appended.Stored(UUID id, long seq) -> new Queued(request.method(), id);
      case Appended.Repeated(UUID id, long seq) -> new Queued(request.method(), id);
      case Appended.OtherContent() ->
          throw new ProblemException(
              ErrorCode.MESSAGE_ID_REUSED,
              "params.message.messageId names an earlier message to this workspace, of another"
                  + " content (expected: a new id for a new message, or the same method and message"
                  + " to repeat one)");
    };
  }

  private static NewActivity inbound(Target target, Sender sender, NormalRequest request) {
    return NewActivity.inbound(
        target.id(),
        sender.workspaceId(),
        request.method(),
        request.method() + " → " + target.name(),
        LosslessJson.write(request.body()),
        MessageContent.ofRequest(request.body()),
        MessageNames.of(request));
  }
}
