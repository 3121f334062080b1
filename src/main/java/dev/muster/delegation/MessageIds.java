package dev.muster.delegation;

/** Builds and parses the ids of delegation messages (R8.3, R8.7). */
final class MessageIds {

  private static final char RETRY = '~';

  private MessageIds() {}

  /** Returns the id of the message after this many retries. */
  static String of(String delegationId, int retryCount) {
    return retryCount == 0 ? delegationId : delegationId + RETRY + retryCount;
  }

  static String ofResult(String delegationId) {
    return delegationId + ":result";
  }

  /** Returns the delegation id if {@code messageId} is one of a retry; else {@code messageId}. */
  static String withoutRetry(String messageId) {
    int mark = messageId.lastIndexOf(RETRY);
    return mark > 0 && messageId.substring(mark + 1).matches("[1-9][0-9]{0,9}")
        ? messageId.substring(0, mark)
        : messageId;
  }
}
