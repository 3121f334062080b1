package dev.muster.identity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Slow;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Revoked tokens are deleted after 90 days, except those that R3.1 needs (R6.11). */
@Slow
@Tag("sql")
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("the server of IdentityRetentionTest")
class IdentityRetentionTest {

  private static final TestServer SERVER = TestServer.start();
  private static final String DAYS_91 = "now() - interval '91 days'";
  private static final String DAYS_92 = "now() - interval '92 days'";

  private final IdentityRetention retention = SERVER.bean(IdentityRetention.class);
  private final Agent agent = SERVER.client().create("keeps tokens");

  @AfterAll
  static void close() {
    SERVER.close();
  }

  @BeforeEach
  void startWithoutTokens() {
    SERVER.database().execute("DELETE FROM workspace_tokens");
  }

  @Test
  void deletesOnlyTokensRevokedNinetyDaysAgo() {
    add("now() - interval '90 days' - interval '1 minute'", "NULL");
    UUID kept = add("now() - interval '90 days' + interval '1 minute'", "NULL");
    UUID live = add("NULL", "NULL");

    assertThat(retention.sweepWorkspaceTokens()).isEqualTo(1);
    assertThat(retention.sweepWorkspaceTokens()).isZero();

    assertThat(exists(kept)).isTrue();
    assertThat(exists(live)).isTrue();
  }

  @Test
  void keepsTheOnlyUsedTokenOfAWorkspace() {
    UUID older = add(DAYS_92, "now()");
    UUID newest = add(DAYS_91, "now()");
    UUID neverUsed = add(DAYS_91, "NULL");
    add("NULL", "NULL");

    assertThat(retention.sweepWorkspaceTokens()).isEqualTo(2);

    assertThat(exists(older)).isFalse();
    assertThat(exists(neverUsed)).isFalse();
    assertThat(exists(newest)).isTrue();
    assertThat(SERVER.bean(Tokens.class).everUsed(agent.id())).isTrue();
  }

  @Test
  void deletesAUsedTokenWhenAValidOneWasUsedToo() {
    UUID revoked = add(DAYS_91, "now()");
    add("NULL", "now()");

    assertThat(retention.sweepWorkspaceTokens()).isEqualTo(1);

    assertThat(exists(revoked)).isFalse();
  }

  @Test
  void deletesAThousandTokensInATransaction() {
    SERVER
        .database()
        .execute(
            """
            INSERT INTO workspace_tokens (id, workspace_id, hash, prefix, created_at, revoked_at, revoked_by)
            SELECT gen_random_uuid(), '%s', sha256(n::text::bytea), 'p', now(), %s, 'operator'
            FROM generate_series(1, 2300) n
            """
                .formatted(agent.id(), DAYS_91));

    assertThat(retention.deleteWorkspaceTokens(1000, 0)).isEqualTo(1000);
    assertThat(retention.sweepWorkspaceTokens()).isEqualTo(1300);
  }

  private UUID add(String revokedAt, String lastUsedAt) {
    UUID id = UUID.randomUUID();
    SERVER
        .database()
        .execute(
            """
            INSERT INTO workspace_tokens (id, workspace_id, hash, prefix, created_at, last_used_at, revoked_at, revoked_by)
            SELECT '%1$s', '%2$s', sha256('%1$s'), 'p', now(), %3$s, revoked_at,
                CASE WHEN revoked_at IS NOT NULL THEN 'operator' END
            FROM (SELECT (%4$s)::timestamptz AS revoked_at) AS row
            """
                .formatted(id, agent.id(), lastUsedAt, revokedAt));
    return id;
  }

  private static boolean exists(UUID id) {
    return SERVER
        .database()
        .value("SELECT count(*) FROM workspace_tokens WHERE id = '" + id + "'")
        .equals("1");
  }
}
