package dev.muster.platform.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.platform.problem.ProblemException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.web.MockHttpServletRequest;

/** The position and the length of a page of a list (R0.10). */
class PageCursorTest {

  private static final UUID ID = UUID.fromString("0193e3a0-0000-7000-8000-0000000000ff");

  static Stream<Instant> storable() {
    return Stream.of(
        Instant.EPOCH,
        Instant.EPOCH.plusNanos(1_000),
        Instant.parse("2026-11-21T20:00:00.123456Z"),
        Instant.parse("6140-01-01T00:00:00Z"));
  }

  @ParameterizedTest
  @MethodSource("storable")
  void isReadAsWritten(Instant time) {
    PageCursor cursor = new PageCursor(time, ID);

    assertThat(PageCursor.parse(cursor.text())).isEqualTo(cursor);
  }

  static Stream<String> foreign() {
    String good = new PageCursor(Instant.parse("2026-11-21T20:00:00Z"), ID).text();
    return Stream.of(
        "",
        "x",
        "%",
        "." + ID,
        "-1." + ID,
        "A." + ID,
        "zzzzzzzzzzzz." + ID,
        "1." + ID.toString().toUpperCase(Locale.ROOT),
        good + "A",
        good + "\n",
        " " + good,
        good.substring(0, good.length() - 1),
        good.replace(".", ""));
  }

  @ParameterizedTest
  @MethodSource("foreign")
  void refusesAMalformedCursor(String text) {
    assertThatThrownBy(() -> PageCursor.parse(text))
        .isInstanceOf(ProblemException.class)
        .hasMessageStartingWith("cursor: not one of this list");
  }

  @Test
  void startsBeforeAllRows() {
    assertThat(PageCursor.START).isEqualTo(new PageCursor(Instant.EPOCH, new UUID(0, 0)));
  }

  @Test
  void existsWhileMoreRowsFollow() {
    assertThat(page(List.of(1, 2, 3), 3, 2)).isEqualTo(new Page<>(List.of(1, 2), after(2)));
    assertThat(page(List.of(1, 2), 2, 2)).isEqualTo(new Page<>(List.of(1, 2), null));
    assertThat(page(List.of(1), 1, 2)).isEqualTo(new Page<>(List.of(1), null));
    assertThat(page(List.of(), 0, 2)).isEqualTo(new Page<>(List.of(), null));
    assertThat(page(List.of(1), 3, 2)).isEqualTo(new Page<>(List.of(1), after(1)));
    assertThat(Page.of(List.of(1, 2, 3), 2, PageCursorTest::after).next()).isEqualTo(after(2));
    assertThat(Page.of(List.of(1, 2), 2, PageCursorTest::after).next()).isNull();
  }

  private static Page<Integer> page(List<Integer> rows, int found, int limit) {
    return Page.of(rows, found, limit, PageCursorTest::after);
  }

  private static PageCursor after(int row) {
    return new PageCursor(Instant.EPOCH, new UUID(0, row));
  }

  @ParameterizedTest
  @CsvSource({
    "1, 1",
    "1000, 1000",
    "1001, 1000",
    "0, 1",
    "-7, 1",
    "0000000000000000000000000000000000000012, 12",
    "9999999999999999999999999999999999999999, 1000"
  })
  void clampsTheLengthOfAPage(String text, int limit) {
    assertThat(PageLimit.of(asking(text))).contains(limit);
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", "1.5", " ", "00000000000000000000000000000000000000012"})
  void refusesALengthThatIsNotANumber(String text) {
    assertThatThrownBy(() -> PageLimit.of(asking(text)))
        .isInstanceOf(ProblemException.class)
        .hasMessageStartingWith("limit: not a whole number of up to 40 digits");
  }

  @Test
  void hasNoLengthWithoutALimit() {
    assertThat(PageLimit.of(new MockHttpServletRequest())).isEmpty();
    assertThat(PageLimit.of(asking(""))).isEmpty();
  }

  private static MockHttpServletRequest asking(String limit) {
    MockHttpServletRequest request = new MockHttpServletRequest();
    request.setParameter("limit", limit);
    return request;
  }
}
