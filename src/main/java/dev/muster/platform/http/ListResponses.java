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
 * Writes lists as a bare JSON array (R0.10).
 *
 * <p>It writes one page with a {@code Link} to the next, or streams the whole list.
 */
@Component
public final class ListResponses {

  private static final int PAGE_OF_A_WHOLE_LIST = 1000;

  private final JsonMapper json;

  ListResponses(JsonMapper json) {
    this.json = json;
  }

  /** Reads one page: at most {@code limit} rows after the cursor. */
  @FunctionalInterface
  public interface PageSource<T> {
    Page<T> read(PageCursor after, int limit);
  }

  /**
   * Writes one page if the request has a limit or a cursor, otherwise all pages.
   *
   * @param view maps a row to its JSON view
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
    // not in a finally block: close() ends the array, and a partial list would look complete
    out.close();
  }

  /** Writes one page of at most {@code limit} rows, whatever page the request asks for. */
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

  /**
   * Gives each further page of a whole list its own deadline.
   *
   * <p>The request's deadline covers the first page only (R1.8).
   */
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
