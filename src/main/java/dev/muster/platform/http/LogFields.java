package dev.muster.platform.http;

import java.util.UUID;
import org.slf4j.MDC;

/** Sets the request and workspace fields of log lines, for the current thread. */
public final class LogFields {

  static final String REQUEST_ID = "request_id";
  static final String WORKSPACE_ID = "workspace_id";

  private LogFields() {}

  /** Sets the workspace whose agent sends the request. */
  public static void workspace(UUID id) {
    MDC.put(WORKSPACE_ID, id.toString());
  }

  static void request(String id) {
    MDC.put(REQUEST_ID, id);
  }

  static void clear() {
    MDC.remove(REQUEST_ID);
    MDC.remove(WORKSPACE_ID);
  }
}
