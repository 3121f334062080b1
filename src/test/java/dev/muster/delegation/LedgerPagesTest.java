package dev.muster.delegation;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Lists of delegations, page by page, while new ones are created (R8.6, R8.9, R0.10). */
class LedgerPagesTest {

  private static final Delegations LEDGER = new Delegations(TestServer.shared());

  private final Agent team = LEDGER.team();
  private final Agent caller = LEDGER.polling(team);
  private final Agent callee = LEDGER.polling(team);

  /** Many with one creation time, some inserted in reverse order. */
  private void fill(int rows, String status) {
    LEDGER
        .server()
        .database()
        .execute(
            """
            INSERT INTO delegations (
                delegation_id, id, caller_id, callee_id, task_preview, status, deadline_s, deadline, created_at, updated_at)
            SELECT '%3$s' || n, gen_random_uuid(), CASE WHEN n %% 5 = 0 THEN '%2$s' ELSE '%1$s' END::uuid,
                CASE WHEN n %% 5 = 0 THEN '%1$s' ELSE '%2$s' END::uuid, 'x', '%4$s', 3600, now() + interval '1 hour',
                now() - n / 50 * interval '1 s', now()
            FROM generate_series(1, %5$d) AS n
            """
                .formatted(caller.id(), callee.id(), caller.id() + "-", status, rows));
  }

  /** Reads all pages, and delegates once more between any two of them. */
  private List<String> walk(String first, String token) {
    List<String> ids = new ArrayList<>();
    String path = first;
    while (!path.isEmpty()) {
      Answer page = LEDGER.client().get(path, token);
      assertThat(page.status()).as(page.text()).isEqualTo(200);
      page.json().forEach(one -> ids.add(one.path("delegation_id").asString()));
      path = page.header("Link").replaceAll("<(.*)>; rel=\"next\"", "$1");
      LEDGER.delegate(caller, callee, "meanwhile");
    }
    return ids;
  }

  private List<String> expected(int rows, int from, int every) {
    List<String> ids = new ArrayList<>();
    for (int n = 1; n <= rows; n++) {
      if (every == 0 || (n % every == 0) == (from == 0)) {
        ids.add(caller.id() + "-" + n);
      }
    }
    return ids;
  }

  @ParameterizedTest
  @CsvSource({"'', 0, 0", "direction=sent&, 1, 5", "direction=received&, 0, 5"})
  void showsEachOnceWhileMoreAreCreated(String direction, int from, int every) {
    fill(1200, "dispatched");
    String base = "/workspaces/" + caller.id() + "/delegations?status=dispatched&" + direction;

    assertThat(walk(base + "limit=170", caller.token()))
        .doesNotHaveDuplicates()
        .filteredOn(id -> id.startsWith(caller.id() + "-"))
        .hasSameElementsAs(expected(1200, from, every));
  }

  @Test
  void showsOperatorsEachOnceWhileMoreAreCreated() {
    fill(1200, "stuck");

    assertThat(walk("/admin/delegations?limit=190", ADMIN_TOKEN))
        .doesNotHaveDuplicates()
        .containsAll(expected(1200, 0, 0));
    assertThat(walk("/admin/delegations?status=stuck&limit=1000", ADMIN_TOKEN))
        .doesNotHaveDuplicates()
        .containsAll(expected(1200, 0, 0));
  }

  @Test
  void boundsThePageSize() {
    fill(1200, "completed");
    String base = "/workspaces/" + caller.id() + "/delegations";

    assertThat(size(base)).isEqualTo(100);
    for (String most : List.of("500", "501", "1000", "99999999999999999999")) {
      assertThat(size(base + "?limit=" + most)).isEqualTo(500);
    }
    for (String fewest : List.of("1", "0", "-7")) {
      assertThat(size(base + "?limit=" + fewest)).isEqualTo(1);
    }
  }

  private int size(String path) {
    return LEDGER.client().get(path, caller.token()).json().size();
  }

  @Test
  void acceptsACursorOfAnotherList() {
    fill(20, "dispatched");
    Answer others = LEDGER.client().get("/workspaces?limit=1", ADMIN_TOKEN);
    String cursor = others.header("Link").replaceAll(".*cursor=([^&>]*).*", "$1");

    Answer page =
        LEDGER
            .client()
            .get("/workspaces/" + caller.id() + "/delegations?cursor=" + cursor, caller.token());

    assertThat(page.status()).as(page.text()).isEqualTo(200);
    assertThat(page.json().isArray()).isTrue();
  }
}
