package dev.muster.platform.http;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.testing.Slow;
import dev.muster.testing.TestServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** An answer whose request fails after it has begun. */
@Slow
@ExtendWith(OutputCaptureExtension.class)
class CutAnswerTest {

  private static final int REQUESTS = 30;
  private static final TestServer SERVER = TestServer.start();

  @AfterAll
  static void stop() {
    SERVER.close();
  }

  /** The second page of a list cannot be read, as none of this version could write it. */
  @Test
  void isCutWithOneLineInTheLogAndNoStackTrace(CapturedOutput output) {
    SERVER
        .database()
        .execute(
            """
            CREATE TEMPORARY TABLE new_ones AS SELECT gen_random_uuid() AS id, n FROM generate_series(1, 1500) AS n;
            INSERT INTO workspaces (id, name, tier, runtime, url, delivery_mode, max_concurrent_tasks, x, y,
                created_at, updated_at)
            SELECT id, 'w', 3, 'external', '', 'poll', 1, 0, 0, now() + n * interval '1 s', now() FROM new_ones;
            ALTER TABLE workspace_heartbeats DROP CONSTRAINT IF EXISTS workspace_heartbeats_status_check;
            INSERT INTO workspace_heartbeats (workspace_id, status, status_since)
            SELECT id, CASE WHEN n = 1400 THEN 'of another version' ELSE 'offline' END, now() FROM new_ones;
            """);

    for (int i = 0; i < REQUESTS; i++) {
      assertThatThrownBy(() -> SERVER.client().get("/workspaces", ADMIN_TOKEN));
    }

    assertThat(output.getAll()).contains("an answer was cut: it had begun");
    assertThat(output.getAll())
        .doesNotContain("Failure in @ExceptionHandler", "CutAnswerException");
    // the failure itself has its trace, at most once a second
    assertThat(output.getAll().lines().filter(line -> line.contains("an answer was cut")).count())
        .isLessThan(REQUESTS);
  }
}
