package dev.muster.platform.http;

import dev.muster.platform.text.Ids;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.springframework.web.servlet.HandlerMapping;

/**
 * A controller of one route that reads its request and writes its response itself.
 *
 * <p>Its route is mapped, admitted and measured as any other. Spring MVC does not resolve
 * parameters or convert a return value for it.
 */
public interface PlainRoute {

  /** What writes a response. */
  interface Answer {

    void writeTo(HttpServletResponse response) throws IOException;
  }

  /**
   * Serves a request. An answer that is there is written on this thread; until any other is there,
   * the request holds no thread. An exception becomes a problem, as that of any controller.
   */
  CompletableFuture<? extends Answer> serve(
      HttpServletRequest request, HttpServletResponse response) throws IOException;

  /**
   * Returns the id in a variable of the route's path; refuses any other text with {@code
   * INVALID_ID}.
   */
  static UUID id(HttpServletRequest request, String variable) {
    if (request.getAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE)
            instanceof Map<?, ?> variables
        && variables.get(variable) instanceof String text) {
      return Ids.parse(text);
    }
    throw new IllegalStateException("the route's path has no variable " + variable);
  }
}
