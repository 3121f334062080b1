package dev.muster.platform.http;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
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
  private final WholeReads reads;

  ListResponses(JsonMapper json, WholeReads reads) {
    this.json = json;
    this.reads = reads;
  }

  /** Reads one page: at most {@code limit} rows after the cursor. */
  @FunctionalInterface
  public interface PageSource<T> {
    Page<T> read(PageCursor after, int limit);
  }

  /**
   * Writes one page if the request has a limit or a cursor, otherwise all pages.
   *
   * <p>Each page is a {@link WholeReads whole read}, since a filter may examine all rows for it.
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
    Owner owner = RequestOwner.of(request);
    if (limit.isPresent() || !cursor(request).equals(PageCursor.START)) {
      PageSource<T> bounded = (after, most) -> reads.run(owner, () -> source.read(after, most));
      writePage(request, response, limit.orElse(PageLimit.DEFAULT), bounded, view);
    } else {
      writeAll(owner, response, source, view);
    }
  }

  /** Makes the bytes of each page in its place of a whole read, and sends them outside of it. */
  private <T> void writeAll(
      Owner owner, HttpServletResponse response, PageSource<T> source, Function<T, ?> view)
      throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    JsonGenerator out = json.createGenerator(bytes);
    out.writeStartArray();
    Function<PageCursor, Page<T>> read =
        after -> {
          Page<T> page = source.read(after, PAGE_OF_A_WHOLE_LIST);
          write(page, view, out);
          out.flush();
          return page;
        };
    Page<T> page = reads.run(owner, () -> read.apply(PageCursor.START));
    response.setContentType("application/json");
    send(bytes, response);
    while (page.next() != null) {
      PageCursor next = page.next();
      page = inItsOwnTime(() -> reads.goOn(owner, () -> read.apply(next)));
      send(bytes, response);
    }
    // not in a finally block: a partial list would look complete
    out.writeEndArray();
    out.close();
    send(bytes, response);
  }

  private static void send(ByteArrayOutputStream bytes, HttpServletResponse response)
      throws IOException {
    bytes.writeTo(response.getOutputStream());
    bytes.reset();
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
