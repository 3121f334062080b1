package dev.muster.activity;

import dev.muster.activity.MessageAdmission.NewDelivery;
import dev.muster.platform.json.RawJson;
import dev.muster.platform.text.Text;
import dev.muster.protocol.MessageContent;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A row to be appended to the feed of {@code workspaceId}; made by the factory of its writer
 * (R6.0).
 */
public record NewActivity(
    UUID workspaceId,
    String activityType,
    ActivitySource source,
    @Nullable UUID sourceId,
    @Nullable UUID targetId,
    @Nullable String method,
    @Nullable String summary,
    Bodies bodies,
    ActivityResult result,
    MessageContent content,
    @Nullable MessageIdentity identity,
    @Nullable MessageAdmission admission) {

  public static final String RECEIVED = "a2a_receive";
  public static final String NOTIFY = "notify";
  public static final String DELEGATE_RESULT = "delegate_result";

  private static final String DELEGATION = "delegation";
  private static final String DELEGATE = "delegate";

  static final int MAX_METHOD_LENGTH = 255;
  static final int MAX_SUMMARY_LENGTH = 4096;

  /** The JSON documents of a row, each as it was sent. */
  public record Bodies(
      @Nullable RawJson request, @Nullable RawJson response, @Nullable RawJson toolTrace) {}

  public NewActivity {
    method = cut(method, MAX_METHOD_LENGTH);
    summary = cut(summary, MAX_SUMMARY_LENGTH);
  }

  /** A message from another workspace, from itself, or ({@code sender} null) from the canvas. */
  public static NewActivity inbound(
      UUID target,
      @Nullable UUID sender,
      String method,
      String summary,
      RawJson request,
      MessageContent content,
      @Nullable MessageIdentity identity) {
    return new NewActivity(
        target,
        RECEIVED,
        sender == null ? ActivitySource.CANVAS_USER : ActivitySource.PEER_AGENT,
        sender,
        target,
        method,
        summary,
        new Bodies(request, null, null),
        ActivityResult.OK,
        content,
        identity,
        null);
  }

  /** The delivery that begins with the row, if one does. */
  @Nullable NewDelivery delivery() {
    return admission == null ? null : admission.delivery();
  }

  /** The same row, of a message that is to be delivered so. */
  public NewActivity with(MessageAdmission wanted) {
    return new NewActivity(
        workspaceId,
        activityType,
        source,
        sourceId,
        targetId,
        method,
        summary,
        bodies,
        result,
        content,
        identity,
        wanted);
  }

  /** How a delegation of {@code caller} has ended (R8.7): its response is the result. */
  public static NewActivity delegateResult(
      UUID caller,
      UUID callee,
      String summary,
      RawJson request,
      RawJson response,
      MessageContent content,
      ActivityResult result) {
    return new NewActivity(
        caller,
        RECEIVED,
        ActivitySource.SYSTEM,
        null,
        callee,
        DELEGATE_RESULT,
        summary,
        new Bodies(request, response, null),
        result,
        content,
        null,
        null);
  }

  /** That {@code caller} has delegated something. */
  public static NewActivity delegation(
      UUID caller, UUID callee, String summary, RawJson request, MessageContent content) {
    return new NewActivity(
        caller,
        DELEGATION,
        ActivitySource.SELF,
        caller,
        callee,
        DELEGATE,
        summary,
        new Bodies(request, null, null),
        ActivityResult.OK,
        content,
        null,
        null);
  }

  /** What an agent says to the people at its canvas (R6.5). */
  static NewActivity notification(
      UUID workspace, String summary, RawJson response, MessageContent content) {
    return new NewActivity(
        workspace,
        RECEIVED,
        ActivitySource.SELF,
        null,
        null,
        NOTIFY,
        summary,
        new Bodies(null, response, null),
        ActivityResult.OK,
        content,
        null,
        null);
  }

  private static @Nullable String cut(@Nullable String text, int most) {
    return text == null ? null : Text.cut(Text.clean(text), most);
  }
}
