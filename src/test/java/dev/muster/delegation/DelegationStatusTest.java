package dev.muster.delegation;

import static dev.muster.delegation.DelegationStatus.COMPLETED;
import static dev.muster.delegation.DelegationStatus.DISPATCHED;
import static dev.muster.delegation.DelegationStatus.FAILED;
import static dev.muster.delegation.DelegationStatus.IN_PROGRESS;
import static dev.muster.delegation.DelegationStatus.QUEUED;
import static dev.muster.delegation.DelegationStatus.STUCK;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestServer;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The life cycle of a delegation: code, schema and statements agree on it (R8.1). */
class DelegationStatusTest {

  /** In the order of the columns. */
  private static final List<DelegationStatus> COLUMNS =
      List.of(QUEUED, DISPATCHED, IN_PROGRESS, COMPLETED, FAILED, STUCK);

  /** A condition on the status, as statements and the catalog of the database write it. */
  private static final Pattern CONDITION =
      Pattern.compile("status (?:IN \\(|= ANY \\(+ARRAY\\[)((?:'\\w+'(?:::text)?(?:, )?)+)");

  @ParameterizedTest
  @CsvSource({
    "queued,      '. y y y y y'",
    "dispatched,  'y . y y y y'",
    "in_progress, '. . . y y y'",
    "stuck,       'y . y y y .'",
    "completed,   '. . . . . .'",
    "failed,      '. . . . . .'",
  })
  void allowsWhatTheTableAllows(String from, String row) {
    assertThat(DelegationStatus.of(from).wire()).isEqualTo(from);
    List<String> cells = List.of(row.split(" "));
    for (int i = 0; i < COLUMNS.size(); i++) {
      assertThat(DelegationStatus.of(from).mayBecome(COLUMNS.get(i)))
          .as(from + " to " + COLUMNS.get(i))
          .isEqualTo(cells.get(i).equals("y"));
    }
  }

  @Test
  void isInFlightUntilNoTransitionIsAllowed() {
    assertThat(all(DelegationStatus::isInFlight))
        .containsExactlyInAnyOrder(QUEUED, DISPATCHED, IN_PROGRESS, STUCK);
  }

  /**
   * All statements and the index use the generated column that the schema computes from this
   * condition.
   */
  @Test
  @Tag("database")
  void isInFlightForTheSchemaAsForTheCode() {
    assertThat(
            conditions(
                value(
                    """
                    SELECT pg_get_expr(d.adbin, d.adrelid) FROM pg_attrdef d
                    JOIN pg_attribute a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
                    WHERE d.adrelid = 'delegations'::regclass AND a.attname = 'terminal_status'
                    """)))
        .containsExactly(all(status -> !status.isInFlight()));
    assertThat(
            conditions(
                value(
                    """
                    SELECT pg_get_constraintdef(oid) FROM pg_constraint
                    WHERE conrelid = 'delegations'::regclass AND conname = 'delegations_status_check'
                    """)))
        .containsExactly(all(status -> true));
    assertThat(value("SELECT pg_get_indexdef('delegations_in_flight'::regclass)"))
        .endsWith("WHERE (terminal_status IS NULL)");
  }

  private static String value(String sql) {
    return TestServer.shared().database().value(sql);
  }

  /** The sweeper marks any delegation in flight as stuck, unless it is stuck already. */
  @Test
  void becomesStuckFromEachStatusInFlight() {
    assertThat(all(status -> status.isInFlight() && status != STUCK))
        .isEqualTo(all(status -> status.mayBecome(STUCK)));
    assertThat(all(status -> status.mayBecome(FAILED)))
        .isEqualTo(all(DelegationStatus::isInFlight));
  }

  /** A list of statuses in a statement could differ from the code. */
  @Test
  void isListedInNoStatement() throws Exception {
    int statements = 0;
    for (Class<?> type :
        List.of(
            EndOnRemoval.class,
            DelegationRepository.class,
            DelegationRetention.class,
            DelegationQueries.class,
            LedgerRepository.class,
            SweepRepository.class)) {
      for (Field field : type.getDeclaredFields()) {
        if (Modifier.isStatic(field.getModifiers()) && field.getType() == String.class) {
          field.setAccessible(true);
          assertThat(conditions((String) field.get(null))).as(field.toString()).isEmpty();
          statements++;
        }
      }
    }
    assertThat(statements).isGreaterThan(15);
  }

  private static Set<DelegationStatus> all(Predicate<DelegationStatus> which) {
    return EnumSet.allOf(DelegationStatus.class).stream()
        .filter(which)
        .collect(Collectors.toUnmodifiableSet());
  }

  private static List<Set<DelegationStatus>> conditions(String sql) {
    return CONDITION
        .matcher(sql)
        .results()
        .map(found ->
            Arrays.stream(found.group(1).split(", "))
                .map(word -> DelegationStatus.of(word.replaceAll("'|::text", "")))
                .collect(Collectors.toUnmodifiableSet()))
        .toList();
  }
}
