package dev.muster.platform.http;

import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Optional;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.web.util.UriComponentsBuilder;

/** Answers one page of a list whose cursor is no {@link PageCursor}. */
public final class NextLink {

  private NextLink() {}

  /**
   * Returns the page with a {@code Link} to the next one (R0.10).
   *
   * @param parameter the query parameter that takes the place of the next page
   * @param next its value; empty on the last page
   */
  public static <T> ResponseEntity<List<T>> page(
      List<T> items, HttpServletRequest request, String parameter, Optional<String> next) {
    return next.map(place ->
            ResponseEntity.ok()
                .header(HttpHeaders.LINK, "<" + link(request, parameter, place) + ">; rel=\"next\"")
                .body(items))
        .orElseGet(() -> ResponseEntity.ok(items));
  }

  private static String link(HttpServletRequest request, String parameter, String place) {
    return UriComponentsBuilder.fromPath(request.getRequestURI())
        .query(request.getQueryString())
        .replaceQueryParam(parameter, place)
        .build()
        .toUriString();
  }
}
