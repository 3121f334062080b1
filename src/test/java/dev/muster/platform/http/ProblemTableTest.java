package dev.muster.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.platform.commit.UncertainCommitException;
import dev.muster.platform.problem.ErrorCode;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessResourceFailureException;

/** What clients are told of failures that are hard to bring about (R0.6). */
class ProblemTableTest {

  @Test
  void tellsToComeBackWhenNobodyKnowsWhetherItIsStored() {
    var unknown = new UncertainCommitException(new SQLException("cut at the COMMIT", "08006"));
    assertThat(ProblemTable.problemOf(unknown).code()).isEqualTo(ErrorCode.UNAVAILABLE);
  }

  @Test
  void tellsToComeBackWhenTheDatabaseIsAway() {
    var away = new DataAccessResourceFailureException("away", new SQLException("cut", "08006"));
    assertThat(ProblemTable.problemOf(away).code()).isEqualTo(ErrorCode.UNAVAILABLE);
  }

  @Test
  void ownsUpToAFaultOfItsOwn() {
    assertThat(ProblemTable.problemOf(new IllegalStateException("a bug")).code())
        .isEqualTo(ErrorCode.INTERNAL);
  }
}
