package dev.muster.agent;

import org.jspecify.annotations.Nullable;

/** Reports that the server refused a request or did not respond. The message is for people. */
public class MusterException extends RuntimeException {

  /** The {@link #code()} when there was no response. */
  public static final String UNREACHABLE = "UNREACHABLE";

  /** The {@link #code()} when the request was cancelled or its thread interrupted. */
  public static final String CANCELLED = "CANCELLED";

  /** The code of an error that a peer's agent answered, whatever the status. */
  static final String OF_AGENT = "AGENT_HTTP_ERROR";

  private final int status;
  private final String code;
  private final boolean deleted;

  MusterException(int status, String code, String text, @Nullable Throwable cause) {
    this(status, code, text, false, cause);
  }

  /** Makes an exception; {@code deleted}: the response says that the workspace is deleted. */
  MusterException(
      int status, String code, String text, boolean deleted, @Nullable Throwable cause) {
    super(text, cause);
    this.status = status;
    this.code = code;
    this.deleted = deleted;
  }

  /** Returns the HTTP status; 0 when there was no response. */
  public int status() {
    return status;
  }

  /** Returns the stable error code, such as {@code WORKSPACE_REMOVED}; {@code ""} for none. */
  public String code() {
    return code;
  }

  /** Returns whether the failure is the permanent removal of a workspace. */
  public boolean isRemoval() {
    return deleted || code.equals("WORKSPACE_REMOVED");
  }

  /**
   * Returns whether the server refuses the credential: it is missing, unknown or not allowed to do
   * this. What a peer's agent refuses is no such case.
   */
  public boolean isRefusal() {
    return refusesToken(status, code) || (status == 403 && !code.equals(OF_AGENT));
  }

  /** Returns whether the server does not accept the token; another token may be accepted. */
  boolean refusesToken() {
    return refusesToken(status, code);
  }

  static boolean refusesToken(int status, String code) {
    return status == 401 && !code.equals(OF_AGENT);
  }

  /** Returns whether a later attempt may succeed: no response, 408, 429 or 5xx. */
  public boolean isTransient() {
    boolean undelivered = status == 0 && !code.equals(CANCELLED);
    return undelivered || status == 408 || status == 429 || status >= 500;
  }
}
