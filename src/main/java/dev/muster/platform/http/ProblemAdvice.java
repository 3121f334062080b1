package dev.muster.platform.http;

import dev.muster.platform.problem.Problem;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.web.HttpRequestMethodNotSupportedException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.async.AsyncRequestNotUsableException;

/** Answers whatever a controller throws with its problem detail. */
@RestControllerAdvice
final class ProblemAdvice {

  private final ProblemWriter writer;

  ProblemAdvice(ProblemWriter writer) {
    this.writer = writer;
  }

  @ExceptionHandler(Throwable.class)
  void answer(Throwable failure, HttpServletResponse response) throws IOException {
    if (failure instanceof HttpRequestMethodNotSupportedException e
        && e.getSupportedMethods() != null) {
      response.setHeader("Allow", String.join(", ", e.getSupportedMethods()));
    }
    Problem problem = ProblemTable.problemOf(failure);
    writer.write(problem, response);
  }

  /** The client hung up: there is nobody left to tell. */
  @ExceptionHandler({AsyncRequestNotUsableException.class, org.eclipse.jetty.io.EofException.class})
  void hungUp() {}
}
