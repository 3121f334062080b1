package dev.muster.platform.http;

import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.http.HttpStatusCode;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.RequestMapping;

/** Writes problem details for errors that never reached a controller. */
@Controller
final class ErrorPageController implements ErrorController {

  private final ProblemWriter problems;

  ErrorPageController(ProblemWriter problems) {
    this.problems = problems;
  }

  @RequestMapping("/error")
  void answer(HttpServletRequest request, HttpServletResponse response) throws IOException {
    int status =
        request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE) instanceof Integer code
            ? code
            : 404;
    problems.write(ProblemMapper.ofStatus(HttpStatusCode.valueOf(status)), response);
  }
}
