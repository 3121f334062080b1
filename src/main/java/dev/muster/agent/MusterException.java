package dev.muster.agent;

import org.jspecify.annotations.Nullable;

/** The platform refused a request, or did not answer. The message is for people. */
public class MusterException extends RuntimeException {

  /** {@link #code()} when there was no answer at all. */
  public static final String UNREACHABLE = "UNREACHABLE";

  /** {@link #code()} when the call was told to stop. */
  public static final String CANCELLED = "CANCELLED";

  private final int status;
  private final String code;
  private final boolean deleted;

  MusterException(int status, String code, String text, @Nullable Throwable cause) {
    this(status, code, text, false, cause);
  }

  /** {@code deleted}: the answer says that there is no such workspace any more. */
  MusterException(
      int status, String code, String text, boolean deleted, @Nullable Throwable cause) {
    super(text, cause);
    this.status = status;
    this.code = code;
    this.deleted = deleted;
  }

  /** The HTTP status; 0 when there was no answer. */
  public int status() {
    return status;
  }

  /**
   * The stable word to branch on, such as {@code WORKSPACE_REMOVED}; {@code ""} if there is none.
   */
  public String code() {
    return code;
  }

  /** Whether a workspace is removed, for good. */
  public boolean isRemoval() {
    return deleted || code.equals("WORKSPACE_REMOVED");
  }

  /** Whether the credential is missing, unknown, or not good for this. */
  public boolean isRefusal() {
    return status == 401 || status == 403;
  }

  /** Whether it may pass by itself: no answer, too many requests, or trouble of the platform. */
  public boolean isTransient() {
    boolean undelivered = status == 0 && !code.equals(CANCELLED);
    return undelivered || status == 408 || status == 429 || status >= 500;
  }
}
