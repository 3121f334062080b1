package dev.muster.platform.http;

import jakarta.servlet.http.HttpServletResponse;
import java.util.Objects;
import java.util.stream.Stream;
import org.eclipse.jetty.io.EofException;
import org.springframework.web.HttpRequestMethodNotSupportedException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.async.AsyncRequestNotUsableException;

/** Writes the problem detail of any exception that a controller throws. */
@RestControllerAdvice
final class ProblemAdvice {

  private static final int MAX_CAUSES = 20;

  private final ProblemWriter writer;

  ProblemAdvice(ProblemWriter writer) {
    this.writer = writer;
  }

  @ExceptionHandler(Throwable.class)
  void answer(Throwable failure, HttpServletResponse response) throws Throwable {
    if (response.isCommitted() && isHangUp(failure)) {
      return; // the client has closed the connection
    }
    if (response.isCommitted()) {
      throw failure; // RequestEnvelopeFilter cuts the answer; Spring would log any other exception
    }
    if (failure instanceof HttpRequestMethodNotSupportedException e
        && e.getSupportedMethods() != null) {
      response.setHeader("Allow", String.join(", ", e.getSupportedMethods()));
    }
    writer.write(failure, response);
  }

  /** Searches the causes, because response writers wrap the exception. */
  static boolean isHangUp(Throwable failure) {
    return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
        .limit(MAX_CAUSES)
        .anyMatch(cause ->
            cause instanceof EofException
                || cause instanceof CutAnswerException
                || cause instanceof AsyncRequestNotUsableException);
  }
}
