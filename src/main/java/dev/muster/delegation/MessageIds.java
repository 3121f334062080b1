package dev.muster.delegation;

/** By which messages delegations travel (R8.3, R8.7). */
final class MessageIds {

  private static final char RETRY = '~';

  private MessageIds() {}

  /** Of the delivery after so many retries of an operator. */
  static String of(String delegationId, int retryCount) {
    return retryCount == 0 ? delegationId : delegationId + RETRY + retryCount;
  }

  static String ofResult(String delegationId) {
    return delegationId + ":result";
  }

  /** The id that a message of this id may belong to, if it is one of a retry. */
  static String withoutRetry(String messageId) {
    int mark = messageId.lastIndexOf(RETRY);
    return mark > 0 && messageId.substring(mark + 1).matches("[1-9][0-9]{0,9}")
        ? messageId.substring(0, mark)
        : messageId;
  }
}
