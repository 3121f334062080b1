package dev.muster.platform.http;

import dev.muster.platform.log.LimitedLog;
import dev.muster.platform.log.OutageLog;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.Problem;
import dev.muster.platform.problem.ProblemException;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.slf4j.event.Level;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** Writes a problem as the whole response, with the headers of its code. */
@Component
public final class ProblemWriter {

  private static final String RETRY_AFTER_SECONDS = "5";

  /** Longer than the other delay, because an agent must first read its feed. */
  private static final String RETRY_AFTER_OF_FULL_FEEDS = "60";

  private static final LimitedLog cut = new LimitedLog(ProblemWriter.class);

  private final JsonMapper json;
  private final OutageLog outages;

  ProblemWriter(JsonMapper json, OutageLog outages) {
    this.json = json;
    this.outages = outages;
  }

  /**
   * Writes the problem of {@code failure}.
   *
   * <p>If the response is committed, it throws {@link IOException} instead.
   */
  public void write(Throwable failure, HttpServletResponse response) throws IOException {
    boolean _ = outages.report(failure);
    if (failure instanceof ProblemException refusal && refusal.retryAfter() != null) {
      response.setHeader("Retry-After", String.valueOf(refusal.retryAfter().toSeconds()));
    }
    write(ProblemMapper.problemOf(failure), response);
  }

  void write(Problem problem, HttpServletResponse response) throws IOException {
    if (problem.code() == ErrorCode.UNAVAILABLE) {
      outages.refused();
    }
    if (response.isCommitted()) {
      throw cut(problem.code().name());
    }
    response.resetBuffer();
    response.setStatus(problem.code().status().value());
    response.setContentType("application/problem+json");
    if ((problem.code() == ErrorCode.UNAVAILABLE
            || problem.code() == ErrorCode.QUEUE_FULL
            || problem.code() == ErrorCode.RATE_LIMITED)
        && !response.containsHeader("Retry-After")) {
      response.setHeader("Retry-After", RETRY_AFTER_SECONDS);
    } else if (problem.code() == ErrorCode.FEED_FULL) {
      response.setHeader("Retry-After", RETRY_AFTER_OF_FULL_FEEDS);
    } else if (problem.code() == ErrorCode.UNAUTHENTICATED) {
      response.setHeader("WWW-Authenticate", "Bearer");
    } else if (problem.code() == ErrorCode.BODY_TOO_LARGE
        || problem.code() == ErrorCode.REQUEST_TIMEOUT
        || problem.code() == ErrorCode.UNSUPPORTED_ENCODING) {
      // the server does not read the rest of the body
      response.setHeader("Connection", "close");
    }
    response.getOutputStream().write(bytes(problem, response));
  }

  /** Logs that an answer ends early, and returns what cuts its connection. */
  static IOException cut(String why) {
    cut.log(Level.WARN, "an answer was cut: it had begun when its request failed ({})", why);
    return new CutAnswerException("the answer had begun when the request failed: " + why);
  }

  /** Serializes the problem with the request id of the response's header. */
  private byte[] bytes(Problem problem, HttpServletResponse response) {
    return json.writeValueAsBytes(problem.body(response.getHeader(RequestIdFilter.HEADER)));
  }
}
