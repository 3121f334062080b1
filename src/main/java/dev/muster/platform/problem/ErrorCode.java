package dev.muster.platform.problem;

import org.springframework.http.HttpStatus;

/** Every code a client may branch on, with the HTTP status it comes with (R0.2). */
public enum ErrorCode {
  VALIDATION_FAILED(HttpStatus.BAD_REQUEST),
  INVALID_ID(HttpStatus.BAD_REQUEST),
  INVALID_DELIVERY_MODE(HttpStatus.BAD_REQUEST),
  AGENT_URL_NOT_ALLOWED(HttpStatus.BAD_REQUEST),
  CONFIRMATION_MISMATCH(HttpStatus.BAD_REQUEST),
  BAD_REQUEST(HttpStatus.BAD_REQUEST),
  UNAUTHENTICATED(HttpStatus.UNAUTHORIZED),
  FORBIDDEN(HttpStatus.FORBIDDEN),
  NOT_FOUND(HttpStatus.NOT_FOUND),
  WORKSPACE_NOT_FOUND(HttpStatus.NOT_FOUND),
  METHOD_NOT_ALLOWED(HttpStatus.METHOD_NOT_ALLOWED),
  REQUEST_TIMEOUT(HttpStatus.REQUEST_TIMEOUT),
  ID_TAKEN(HttpStatus.CONFLICT),
  CONFIRMATION_REQUIRED(HttpStatus.CONFLICT),
  WRONG_STATE(HttpStatus.CONFLICT),
  MESSAGE_ID_REUSED(HttpStatus.CONFLICT),
  WORKSPACE_REMOVED(HttpStatus.GONE),
  CURSOR_GONE(HttpStatus.GONE),
  BODY_TOO_LARGE(HttpStatus.CONTENT_TOO_LARGE),
  PARENT_NOT_FOUND(HttpStatus.UNPROCESSABLE_CONTENT),
  PARENT_CYCLE(HttpStatus.UNPROCESSABLE_CONTENT),
  UPGRADE_REQUIRED(HttpStatus.UPGRADE_REQUIRED),
  TOKEN_LIMIT(HttpStatus.TOO_MANY_REQUESTS),
  RATE_LIMITED(HttpStatus.TOO_MANY_REQUESTS),
  INTERNAL(HttpStatus.INTERNAL_SERVER_ERROR),
  UNAVAILABLE(HttpStatus.SERVICE_UNAVAILABLE),
  QUEUE_FULL(HttpStatus.SERVICE_UNAVAILABLE);

  private final HttpStatus status;

  ErrorCode(HttpStatus status) {
    this.status = status;
  }

  public HttpStatus status() {
    return status;
  }
}
