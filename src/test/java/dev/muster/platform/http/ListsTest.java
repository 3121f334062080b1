package dev.muster.platform.http;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static java.util.stream.Collectors.toList;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Lists are complete, or page by page (R0.10). */
class ListsTest {

  private static final int MANY = 1005;
  private static final Pattern NEXT = Pattern.compile("<([^>]+)>\\s*;\\s*rel=\"next\"");

  private static final TestServer SERVER = TestServer.shared();
  private static final TestClient CLIENT = SERVER.client();
  private static final Agent PARENT = CLIENT.create("Lists");

  static {
    // many workspaces, in groups with the same creation time
    SERVER
        .database()
        .execute(
            """
            CREATE TEMPORARY TABLE many AS
                SELECT gen_random_uuid() AS id, n FROM generate_series(1, %d) n;
            INSERT INTO workspaces (
                id, name, role, tier, parent_id, runtime, url, delivery_mode, max_concurrent_tasks, x, y,
                created_at, updated_at)
            SELECT id, 'Child ' || n, 'a&b', 3, '%s', 'external', '', 'poll', 1, 0, 0,
                now() + (n / 10) * interval '1 millisecond', now() FROM many;
            INSERT INTO workspace_heartbeats (workspace_id, status, status_since)
            SELECT id, 'awaiting_agent', now() FROM many;
            """
                .formatted(MANY, PARENT.id()));
  }

  private static final List<String> LISTS =
      List.of(
          "/workspaces?parent_id=" + PARENT.id(), "/registry/" + PARENT.id() + "/peers?q=child");

  @ParameterizedTest
  @FieldSource("LISTS")
  void givesTheWholeListInOrderWithoutALimit(String list) {
    Answer answer = CLIENT.get(list, ADMIN_TOKEN);

    assertThat(ids(answer)).hasSize(MANY).doesNotHaveDuplicates();
    assertThat(next(answer)).isEmpty();
    assertThat(numbers(answer)).isSorted();
  }

  @ParameterizedTest
  @FieldSource("LISTS")
  void listsEachOnceInOrderFromPageToPage(String list) {
    List<String> visited = new ArrayList<>();
    int pages = 0;
    String page = list + "&limit=97";
    while (!page.isEmpty()) {
      Answer answer = CLIENT.get(page, ADMIN_TOKEN);
      assertThat(answer.status()).as(page).isEqualTo(200);
      visited.addAll(ids(answer));
      pages++;
      page = next(answer);
      assertThat(pages).isLessThan(20);
    }

    assertThat(pages).isEqualTo((MANY + 96) / 97);
    assertThat(visited).isEqualTo(ids(CLIENT.get(list, ADMIN_TOKEN)));
  }

  @ParameterizedTest
  @CsvSource({
    "1, 1",
    "0, 1",
    "-7, 1",
    "-99999999999999999999, 1",
    "10, 10",
    "1000, 1000",
    "1001, 1000",
    "99999999999999999999, 1000"
  })
  void clampsTheLimit(String asked, int given) {
    for (String list : LISTS) {
      Answer answer = CLIENT.get(list + "&limit=" + asked, ADMIN_TOKEN);

      assertThat(ids(answer)).as(list).hasSize(given);
      assertThat(next(answer)).as(list).isNotEmpty();
    }
  }

  @Test
  void offersNoNextPageAfterTheLast() {
    String only = LISTS.getFirst() + "&q=Child%201005";

    Answer answer = CLIENT.get(only + "&limit=1", ADMIN_TOKEN);

    assertThat(ids(answer)).hasSize(1);
    assertThat(next(answer)).isEmpty();
  }

  /** Forty cards of the largest size do not fit into a page. */
  @Test
  void endsAPageEarlyWhenItsCardsAreLarge() {
    Agent parent = CLIENT.create("Large cards");
    SERVER
        .database()
        .execute(
            """
            CREATE TEMPORARY TABLE large AS SELECT gen_random_uuid() AS id, n FROM generate_series(1, 40) n;
            INSERT INTO workspaces (
                id, name, tier, parent_id, runtime, url, delivery_mode, max_concurrent_tasks, agent_card, x, y,
                created_at, updated_at)
            SELECT id, 'Large ' || n, 3, '%s', 'external', '', 'poll', 1,
                json_build_object('text', repeat(chr(97 + n %% 26), 255000)), 0, 0, now(), now() FROM large;
            INSERT INTO workspace_heartbeats (workspace_id, status, status_since)
            SELECT id, 'awaiting_agent', now() FROM large;
            DROP TABLE large;
            """
                .formatted(parent.id()));

    for (String list :
        List.of("/workspaces?parent_id=" + parent.id(), "/registry/" + parent.id() + "/peers?q=")) {
      Answer first = CLIENT.get(list + "&limit=1000", ADMIN_TOKEN);
      assertThat(ids(first)).as(list).hasSizeBetween(30, 35);
      List<String> visited = new ArrayList<>(ids(first));
      String next = next(first);
      while (!next.isEmpty()) {
        Answer page = CLIENT.get(next, ADMIN_TOKEN);
        visited.addAll(ids(page));
        next = next(page);
      }
      assertThat(visited).as(list).hasSize(40).doesNotHaveDuplicates();
      assertThat(ids(CLIENT.get(list, ADMIN_TOKEN))).as(list).isEqualTo(visited);
    }
  }

  @Test
  void keepsTheOtherParametersInTheLinkToTheNextPage() {
    String page = LISTS.getFirst() + "&q=%41%26b&status=awaiting_agent&limit=500";
    List<String> visited = new ArrayList<>();
    while (!page.isEmpty()) {
      Answer answer = CLIENT.get(page, ADMIN_TOKEN);
      visited.addAll(ids(answer));
      page = next(answer);
    }

    assertThat(visited).hasSize(MANY).doesNotHaveDuplicates();
    assertThat(ids(CLIENT.get(LISTS.getFirst() + "&q=a%26c", ADMIN_TOKEN))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"x", "AAAA", "%00", "1", "null", "%C3%A4", "'--", "AAAAAAAAAAAAAAAAAAAAAAAA"})
  void refusesAForeignCursor(String cursor) {
    for (String list : LISTS) {
      assertRefused(CLIENT.get(list + "&cursor=" + cursor, ADMIN_TOKEN), 400, "VALIDATION_FAILED");
    }
  }

  @Test
  void refusesACursorThatWasTamperedWith() {
    String next = next(CLIENT.get(LISTS.getFirst() + "&limit=1", ADMIN_TOKEN));
    String cursor = next.replaceFirst(".*[?&]cursor=([^&]*).*", "$1");
    assertThat(cursor).isNotEmpty();

    for (String bad : List.of(cursor + "A", cursor.replace(".", ""), cursor + "=", "_" + cursor)) {
      Answer answer = CLIENT.get(LISTS.getFirst() + "&cursor=" + bad, ADMIN_TOKEN);
      assertRefused(answer, 400, "VALIDATION_FAILED");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"abc", "1.5", "1e2", "NaN", "0x10", "%00", "1%202"})
  void refusesALimitThatIsNotANumber(String limit) {
    for (String list : LISTS) {
      assertRefused(CLIENT.get(list + "&limit=" + limit, ADMIN_TOKEN), 400, "VALIDATION_FAILED");
    }
    assertRefused(CLIENT.get("/events?limit=" + limit, ADMIN_TOKEN), 400, "VALIDATION_FAILED");
  }

  private static List<String> ids(Answer answer) {
    return answer.json().valueStream().map(one -> one.path("id").asString()).collect(toList());
  }

  /**
   * The tens of the numbers in the names: workspaces with the same one have the same creation time.
   */
  private static List<Integer> numbers(Answer answer) {
    return answer
        .json()
        .valueStream()
        .map((JsonNode one) -> one.path("name").asString().replace("Child ", ""))
        .map(number -> Integer.parseInt(number) / 10)
        .collect(toList());
  }

  /** Path and query of the next page, "" when there is none. */
  private static String next(Answer answer) {
    Matcher link = NEXT.matcher(answer.header("Link"));
    if (!link.find()) {
      return "";
    }
    URI uri = URI.create(link.group(1));
    return uri.getRawPath() + "?" + uri.getRawQuery();
  }
}
