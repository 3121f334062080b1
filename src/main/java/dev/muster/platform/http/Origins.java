package dev.muster.platform.http;

import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.settings.Settings;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;

/** The origins whose pages may call: {@code CORS_ORIGINS}, and the server's own. */
@Component
public final class Origins {

  private static final String ORIGIN = "https?://[A-Za-z0-9.\\-\\[\\]:]+";

  private final List<String> allowed;

  Origins(Settings settings) {
    this.allowed = settings.security("CORS_ORIGINS", List.of(), Origins::parse);
  }

  List<String> allowed() {
    return allowed;
  }

  /**
   * Refuses a page of another origin with {@code FORBIDDEN}, for what browsers do not ask about
   * beforehand (WebSockets). No origin is no browser, and passes; the scheme does not count, since
   * a proxy in front may have ended TLS.
   */
  public void requireAllowed(HttpServletRequest request) {
    @Nullable String origin = request.getHeader(HttpHeaders.ORIGIN);
    if (origin != null && !allowed.contains(origin) && !isOwn(origin, request)) {
      throw refusal();
    }
  }

  static ProblemException refusal() {
    return new ProblemException(ErrorCode.FORBIDDEN, "this origin is not one of CORS_ORIGINS");
  }

  private static boolean isOwn(String origin, HttpServletRequest request) {
    @Nullable String host = request.getHeader(HttpHeaders.HOST);
    if (host == null || !origin.matches(ORIGIN)) {
      return false;
    }
    return origin.substring(origin.indexOf("://") + 3).equalsIgnoreCase(host);
  }

  private static List<String> parse(String setting) {
    List<String> origins = Arrays.stream(setting.split(",", -1)).map(String::strip).toList();
    if (!origins.stream().allMatch(origin -> origin.matches(ORIGIN))) {
      throw new IllegalArgumentException(
          "expected origins such as https://canvas.example, with commas between");
    }
    return origins;
  }
}
