package dev.muster.platform.http;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import org.springframework.web.util.UriComponentsBuilder;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.json.JsonMapper;

/**
 * Answers with a bare array: one page with a {@code Link} to the next, or the whole list, streamed
 * (R0.10).
 */
@Component
public final class ListResponses {

  private static final int PAGE_OF_A_WHOLE_LIST = 1000;

  private final JsonMapper json;

  ListResponses(JsonMapper json) {
    this.json = json;
  }

  /** Reads a page: rows after the cursor, at most {@code limit} of them. */
  @FunctionalInterface
  public interface PageSource<T> {
    Page<T> read(PageCursor after, int limit);
  }

  /**
   * One page when the client asked for one, else all pages in a row. {@code view} makes a row what
   * the client sees.
   */
  public <T> void write(
      HttpServletRequest request,
      HttpServletResponse response,
      PageSource<T> source,
      Function<T, ?> view)
      throws IOException {
    Optional<Integer> limit = PageLimit.of(request);
    @Nullable String cursor = request.getParameter("cursor");
    PageCursor after =
        cursor == null || cursor.isEmpty() ? PageCursor.START : PageCursor.parse(cursor);
    boolean whole = limit.isEmpty() && after.equals(PageCursor.START);
    int size = whole ? PAGE_OF_A_WHOLE_LIST : limit.orElse(PageLimit.DEFAULT);
    Page<T> page = source.read(after, size);
    if (!whole && page.next() != null) {
      response.setHeader("Link", "<" + link(request, page.next(), size) + ">; rel=\"next\"");
    }
    response.setContentType("application/json");
    try (JsonGenerator out = json.createGenerator(response.getOutputStream())) {
      out.writeStartArray();
      page.items().forEach(item -> out.writePOJO(view.apply(item)));
      while (whole && page.next() != null) {
        page = source.read(page.next(), size);
        page.items().forEach(item -> out.writePOJO(view.apply(item)));
      }
      out.writeEndArray();
    }
  }

  private static String link(HttpServletRequest request, PageCursor next, int limit) {
    return UriComponentsBuilder.fromPath(request.getRequestURI())
        .query(request.getQueryString())
        .replaceQueryParam("limit", limit)
        .replaceQueryParam("cursor", next.text())
        .build()
        .toUriString();
  }
}
