package dev.muster.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.platform.postgres.CommitAwareTransactions.UnknownCommitOutcomeException;
import dev.muster.platform.problem.ErrorCode;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessResourceFailureException;

/** The answers to failures that are hard to cause (R0.6). */
class ProblemTableTest {

  @Test
  void asksToRetryAfterAnUnknownCommitOutcome() {
    var unknown = new UnknownCommitOutcomeException(new SQLException("cut at the COMMIT", "08006"));
    assertThat(ProblemMapper.problemOf(unknown).code()).isEqualTo(ErrorCode.UNAVAILABLE);
  }

  @Test
  void asksToRetryDuringADatabaseOutage() {
    var away = new DataAccessResourceFailureException("away", new SQLException("cut", "08006"));
    assertThat(ProblemMapper.problemOf(away).code()).isEqualTo(ErrorCode.UNAVAILABLE);
  }

  @Test
  void answers500ForABugOfTheServer() {
    assertThat(ProblemMapper.problemOf(new IllegalStateException("a bug")).code())
        .isEqualTo(ErrorCode.INTERNAL);
  }
}
