package dev.muster.platform.http;

import dev.muster.platform.log.LimitedLog;
import dev.muster.platform.postgres.CommitAwareTransactions.UnknownCommitOutcomeException;
import dev.muster.platform.problem.DatabaseOutage;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.Problem;
import dev.muster.platform.problem.ProblemException;
import java.util.Map;
import org.eclipse.jetty.http.HttpException;
import org.slf4j.event.Level;
import org.springframework.http.HttpStatusCode;
import org.springframework.web.ErrorResponse;
import org.springframework.web.HttpRequestMethodNotSupportedException;
import org.springframework.web.bind.MissingRequestHeaderException;
import org.springframework.web.bind.MissingServletRequestParameterException;
import org.springframework.web.method.annotation.MethodArgumentTypeMismatchException;

/**
 * Maps exceptions to the problems that clients read.
 *
 * <p>No detail of the database or the code reaches the client.
 */
public final class ProblemMapper {

  private static final LimitedLog failed = new LimitedLog(ProblemMapper.class);

  private ProblemMapper() {}

  public static Problem problemOf(Throwable failure) {
    return switch (failure) {
      case ProblemException refusal -> Problem.of(refusal);
      case MethodArgumentTypeMismatchException e ->
          problem(
              ErrorCode.VALIDATION_FAILED,
              e.getName() + ": not usable (expected: " + expected(e) + ")");
      case MissingRequestHeaderException e ->
          problem(ErrorCode.VALIDATION_FAILED, "the header " + e.getHeaderName() + " is missing");
      case MissingServletRequestParameterException e ->
          problem(
              ErrorCode.VALIDATION_FAILED, "the parameter " + e.getParameterName() + " is missing");
      case HttpRequestMethodNotSupportedException e ->
          problem(
              ErrorCode.METHOD_NOT_ALLOWED,
              e.getMethod() + " is not allowed here; the header Allow names what is");
      case ErrorResponse response -> ofStatus(response.getStatusCode());
      // an invalid query string, which Jetty finds when the first parameter is read
      case HttpException bad when bad.getCode() < 500 ->
          ofStatus(HttpStatusCode.valueOf(bad.getCode()));
      case UnknownCommitOutcomeException _ ->
          problem(
              ErrorCode.UNAVAILABLE,
              "it is unknown whether this is stored; read it, or send it again");
      case Throwable outage when DatabaseOutage.is(outage) -> unavailable();
      default -> {
        failed.log(Level.ERROR, "a request failed", failure);
        yield problem(ErrorCode.INTERNAL, "the server failed; its log says why");
      }
    };
  }

  static Problem unavailable() {
    return problem(
        ErrorCode.UNAVAILABLE, "the database cannot answer right now; try again in a few seconds");
  }

  static Problem ofStatus(HttpStatusCode status) {
    return switch (status.value()) {
      case 404 -> problem(ErrorCode.NOT_FOUND, "there is nothing at this path");
      case 405 -> problem(ErrorCode.METHOD_NOT_ALLOWED, "this method is not allowed here");
      case 413 -> problem(ErrorCode.BODY_TOO_LARGE, "the body is too large");
      case 503 ->
          problem(
              ErrorCode.UNAVAILABLE,
              "the server cannot answer right now; try again in a few seconds");
      default ->
          status.is4xxClientError()
              ? problem(
                  ErrorCode.BAD_REQUEST,
                  "the request is not valid HTTP (expected: a path and query in percent-encoded"
                      + " UTF-8, and headers of a common size)")
              : problem(ErrorCode.INTERNAL, "the server failed; its log says why");
    };
  }

  private static Problem problem(ErrorCode code, String detail) {
    return new Problem(code, detail, Map.of());
  }

  private static String expected(MethodArgumentTypeMismatchException e) {
    Class<?> type = e.getRequiredType();
    if (type == boolean.class || type == Boolean.class) {
      return "true or false";
    }
    return type == null ? "another form" : type.getSimpleName().toLowerCase(java.util.Locale.ROOT);
  }
}
