package dev.muster.platform.http;

import dev.muster.platform.http.PlainRoute.Answer;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.web.context.request.async.StandardServletAsyncWebRequest;
import org.springframework.web.context.request.async.WebAsyncManager;
import org.springframework.web.context.request.async.WebAsyncUtils;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerAdapter;
import org.springframework.web.servlet.ModelAndView;

/** Calls a {@link PlainRoute}, where Spring's adapter would call its method as a controller's. */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE)
final class PlainRouteAdapter implements HandlerAdapter {

  @Override
  public boolean supports(Object handler) {
    return handler instanceof HandlerMethod method && method.getBean() instanceof PlainRoute;
  }

  /** Is called once more for an answer that was not there at first, to write it. */
  @Override
  public @Nullable ModelAndView handle(
      HttpServletRequest request, HttpServletResponse response, Object handler) throws Exception {
    WebAsyncManager async = WebAsyncUtils.getAsyncManager(request);
    if (async.hasConcurrentResult()) {
      @Nullable Object result = async.getConcurrentResult();
      async.clearConcurrentResult(); // an error page is no second answer
      write(result, response);
    } else {
      PlainRoute route = (PlainRoute) ((HandlerMethod) handler).getBean();
      CompletableFuture<? extends Answer> answer = route.serve(request, response);
      if (answer.isDone() && !answer.isCompletedExceptionally()) {
        answer.join().writeTo(response);
      } else {
        async.setAsyncWebRequest(new StandardServletAsyncWebRequest(request, response));
        async.startDeferredResultProcessing(AsyncResponses.of(answer));
      }
    }
    return null; // there is no view
  }

  private static void write(@Nullable Object result, HttpServletResponse response)
      throws Exception {
    switch (result) {
      case Answer answer -> answer.writeTo(response);
      case Exception failure -> throw failure;
      case Error failure -> throw failure;
      case null, default -> throw new IllegalStateException("no answer but " + result);
    }
  }
}
