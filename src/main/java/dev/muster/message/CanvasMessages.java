package dev.muster.message;

import dev.muster.message.call.DeliverySettings;
import dev.muster.message.flow.SystemMessages;
import dev.muster.message.send.NormalizedRequest;
import dev.muster.message.store.MessageAdmission;
import dev.muster.message.store.MessageAdmission.DeliveryTerms;
import dev.muster.message.store.MessageAdmission.Kind;
import dev.muster.message.store.MessageStore;
import dev.muster.message.store.Sender;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.workspace.BatchResult;
import dev.muster.workspace.DeliveryTarget;
import dev.muster.workspace.Workspaces;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Stores one message of the canvas for many workspaces, in the caller's transaction.
 *
 * <p>Poll agents find it in their feed. For push agents it is queued, and tried at once after the
 * commit.
 */
@Service
public class CanvasMessages {

  private final Workspaces workspaces;
  private final MessageStore store;
  private final DeliverySettings settings;

  CanvasMessages(Workspaces workspaces, MessageStore store, DeliverySettings settings) {
    this.workspaces = workspaces;
    this.store = store;
    this.settings = settings;
  }

  /**
   * Stores the message once for each workspace. A workspace that has it already counts as done.
   * Results are in the order of the ids.
   *
   * @param messageId the id of the message, the same for all workspaces
   * @param author the name of the person who sends it
   */
  @Transactional(propagation = Propagation.MANDATORY)
  public List<BatchResult> send(
      List<UUID> ids, String messageId, String text, String author, Instant now) {
    Map<UUID, BatchResult> results = new HashMap<>();
    Map<UUID, DeliveryTarget> found = workspaces.targets(ids);
    List<DeliveryTarget> targets = ids.stream().filter(found::containsKey).map(found::get).toList();
    for (UUID id : ids) {
      if (!found.containsKey(id)) {
        results.put(
            id,
            BatchResult.refused(
                id,
                absentOr(
                    id,
                    ProblemException.unavailable(
                        "the workspace changes right now; send again later"))));
      }
    }
    List<AppendResult> appended =
        store.appendAll(
            targets.stream().map(target -> row(target, messageId, text).by(author)).toList());
    for (int i = 0; i < appended.size(); i++) {
      UUID id = targets.get(i).id();
      results.put(id, result(id, appended.get(i), now));
    }
    return ids.stream().map(id -> Objects.requireNonNull(results.get(id))).toList();
  }

  private NewActivity row(DeliveryTarget target, String messageId, String text) {
    ObjectNode request = JsonNodeFactory.instance.objectNode().put("method", "message/send");
    request.putObject("params").set("message", SystemMessages.message(messageId, text));
    return NormalizedRequest.of(request, Sender.CANVAS, UUID::randomUUID)
        .rowFor(target, Sender.CANVAS)
        .with(
            MessageAdmission.waiting(
                DeliveryTerms.usual(Kind.MESSAGE, settings.life(Optional.empty()))));
  }

  private BatchResult result(UUID id, AppendResult appended, Instant now) {
    return switch (appended) {
      case AppendResult.Stored _, AppendResult.Repeated _ -> BatchResult.done(id, now);
      case AppendResult.FeedFull(String detail) ->
          BatchResult.refused(id, new ProblemException(ErrorCode.QUEUE_FULL, detail));
      case AppendResult.QueueFull() ->
          BatchResult.refused(
              id,
              new ProblemException(
                  ErrorCode.QUEUE_FULL,
                  MessageAdmission.MAX_QUEUED + " messages wait for the workspace already"));
      case AppendResult.Outdated() -> BatchResult.refused(id, absentOr(id, paused(id)));
      case AppendResult.OtherContent(), AppendResult.NotFree() ->
          throw new IllegalStateException("a new message that waits is neither known nor sent");
    };
  }

  /** Returns why the workspace is absent, or {@code otherwise} if it is there. */
  private ProblemException absentOr(UUID id, ProblemException otherwise) {
    try {
      workspaces.requirePresent(id);
    } catch (ProblemException absent) {
      return absent;
    }
    return otherwise;
  }

  private static ProblemException paused(UUID id) {
    return new ProblemException(
        ErrorCode.WORKSPACE_PAUSED,
        "the workspace " + id + " is paused; send again when it is resumed");
  }
}
