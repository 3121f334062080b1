package dev.muster.platform.http;

import dev.muster.platform.deadline.RequestDeadline;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
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
    PageCursor after = cursor(request);
    if (limit.isPresent() || !after.equals(PageCursor.START)) {
      writePage(request, response, limit.orElse(PageLimit.DEFAULT), source, view);
      return;
    }
    Page<T> page = source.read(PageCursor.START, PAGE_OF_A_WHOLE_LIST);
    JsonGenerator out = begin(response);
    write(page, view, out);
    while (page.next() != null) {
      PageCursor next = page.next();
      page = inItsOwnTime(() -> source.read(next, PAGE_OF_A_WHOLE_LIST));
      write(page, view, out);
    }
    out.writeEndArray();
    // only now: to close it ends the array, and a part of the list would look like all of it
    out.close();
  }

  /** One page, of at most {@code limit} rows, also when the client asked for none. */
  public <T> void writePage(
      HttpServletRequest request,
      HttpServletResponse response,
      int limit,
      PageSource<T> source,
      Function<T, ?> view)
      throws IOException {
    Page<T> page = source.read(cursor(request), limit);
    if (page.next() != null) {
      response.setHeader("Link", "<" + link(request, page.next(), limit) + ">; rel=\"next\"");
    }
    try (JsonGenerator out = begin(response)) {
      write(page, view, out);
      out.writeEndArray();
    }
  }

  /** Of a whole list the first page alone is due at the request's deadline (R1.8). */
  private static <T> Page<T> inItsOwnTime(Supplier<Page<T>> reading) {
    return RequestDeadline.within(RequestDeadline.LIMIT, reading::get);
  }

  private static PageCursor cursor(HttpServletRequest request) {
    @Nullable String cursor = request.getParameter("cursor");
    return cursor == null || cursor.isEmpty() ? PageCursor.START : PageCursor.parse(cursor);
  }

  private JsonGenerator begin(HttpServletResponse response) throws IOException {
    response.setContentType("application/json");
    JsonGenerator out = json.createGenerator(response.getOutputStream());
    out.writeStartArray();
    return out;
  }

  private static <T> void write(Page<T> page, Function<T, ?> view, JsonGenerator out) {
    page.items().forEach(item -> out.writePOJO(view.apply(item)));
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
