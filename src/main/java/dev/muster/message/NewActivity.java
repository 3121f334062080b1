package dev.muster.message;

import dev.muster.message.store.ActivitySource;
import dev.muster.message.store.MessageAdmission;
import dev.muster.message.store.MessageIdentity;
import dev.muster.platform.text.ErrorText;
import dev.muster.platform.text.RawJson;
import dev.muster.platform.text.Text;
import dev.muster.protocol.MessageContent;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A row to append to the feed of {@code workspaceId}. Each kind of writer has a factory method
 * (R6.0).
 *
 * @param author the name of the person who sent it; null but for people (R6.0)
 * @param headers those of the sender that are passed to the agent (R7.6)
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
    @Nullable MessageAdmission admission,
    @Nullable String author,
    Map<String, String> headers) {

  public static final String RECEIVED = "a2a_receive";
  public static final String NOTIFY = "notify";
  public static final String DELEGATE_RESULT = "delegate_result";

  private static final String DELEGATION = "delegation";
  private static final String DELEGATE = "delegate";

  public static final int MAX_METHOD_LENGTH = 255;
  public static final int MAX_SUMMARY_LENGTH = 4096;

  /** The JSON documents of a row, each as it was sent. */
  public record Bodies(
      @Nullable RawJson request, @Nullable RawJson response, @Nullable RawJson toolTrace) {}

  public NewActivity {
    method = cut(method, MAX_METHOD_LENGTH);
    summary = cut(summary, MAX_SUMMARY_LENGTH);
  }

  /**
   * Creates the row of a message.
   *
   * @param sender another workspace or the target itself; null for the canvas
   */
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
        null,
        null,
        Map.of());
  }

  /** Whether a delivery began when the row was stored, at once or in a queue. */
  public boolean beganDelivery(AppendResult.Stored as) {
    return admission != null && (admission.way() == MessageAdmission.Way.SEND || as.isQueued());
  }

  /** Returns the same row with this admission. */
  public NewActivity with(MessageAdmission wanted) {
    return with(content, wanted, author, headers);
  }

  /** Returns the same row with the name of the person who sent it; null when it is unknown. */
  public NewActivity by(@Nullable String person) {
    return with(content, admission, person, headers);
  }

  /** Returns the same row with these headers of its sender. */
  public NewActivity sentWith(Map<String, String> passedOn) {
    return with(content, admission, author, passedOn);
  }

  /** Returns the same row with {@code data} that names this delegation (R6.6). */
  public NewActivity about(String delegationId) {
    return with(
        new MessageContent(
            content.text(), content.messageId(), delegationId, content.attachments()),
        admission,
        author,
        headers);
  }

  private NewActivity with(
      MessageContent said,
      @Nullable MessageAdmission wanted,
      @Nullable String person,
      Map<String, String> passedOn) {
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
        said,
        identity,
        wanted,
        person,
        passedOn);
  }

  /** Creates the row that reports the end of a delegation to {@code caller} (R8.7). */
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
        null,
        null,
        Map.of());
  }

  /** Creates the row that notes a delegation in the feed of {@code caller}. */
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
        null,
        null,
        Map.of());
  }

  /** Creates the row of a notification from the agent to the canvas (R6.5). */
  public static NewActivity notification(
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
        null,
        null,
        Map.of());
  }

  private static @Nullable String cut(@Nullable String text, int most) {
    return text == null ? null : Text.cut(Text.clean(text), most);
  }

  /** Holds the status, error and duration of an activity. */
  public record ActivityResult(
      String status, @Nullable String errorDetail, @Nullable Long durationMs) {

    public static final ActivityResult OK = new ActivityResult("ok", null, null);

    private static final int MAX_STATUS_LENGTH = 64;

    public ActivityResult {
      status = Text.cut(Text.clean(status), MAX_STATUS_LENGTH);
      errorDetail = ErrorText.keptOrNull(errorDetail);
    }
  }
}
