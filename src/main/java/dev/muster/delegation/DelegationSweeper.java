package dev.muster.delegation;

import dev.muster.delegation.SweepRuleRun.Rule;
import dev.muster.delegation.SweepRuleRun.Tally;
import dev.muster.platform.postgres.CommitAwareTransactions;
import dev.muster.platform.postgres.ControlPlaneUptime;
import dev.muster.platform.postgres.Uptime;
import dev.muster.platform.work.FailingUnits;
import dev.muster.platform.work.SweepMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.stereotype.Component;

/**
 * Ends or marks delegations that would otherwise stay open (R8.8). First, those past their deadline
 * fail: heartbeats must not keep a hanging agent's delegation open. Then those whose callee sent
 * heartbeats before, but none for the threshold, become {@code stuck}. Without any heartbeat only
 * the deadline applies.
 *
 * <p>Several sweeps may run at once: a delegation that another one has changed counts as a lost
 * race.
 */
@Component
class DelegationSweeper {

  /**
   * The result of a sweep.
   *
   * @param deadlineFailures delegations past their deadline, now {@code failed}
   * @param stuckMarked delegations of silent callees, now {@code stuck}
   * @param errors delegations that another transaction changed first or that could not be stored
   */
  record SweepReport(int deadlineFailures, int stuckMarked, int errors) {}

  private static final Logger log = LoggerFactory.getLogger(DelegationSweeper.class);

  /** The settings of the sweeper (R8.8), which {@code Setting} describes. */
  @ConfigurationProperties("muster.delegation.sweeper")
  record SweeperSettings(boolean enabled, Duration interval, Duration stuckThreshold) {}

  private final SweepRepository repository;
  private final Ledger ledger;
  private final ControlPlaneUptime uptime;
  private final CommitAwareTransactions transactions;
  private final SweeperSettings settings;
  private final SweepMetrics metrics;
  private final FailingUnits failing;

  DelegationSweeper(
      SweepRepository repository,
      Ledger ledger,
      ControlPlaneUptime uptime,
      CommitAwareTransactions transactions,
      SweeperSettings settings,
      MeterRegistry metrics) {
    this.repository = repository;
    this.ledger = ledger;
    this.uptime = uptime;
    this.transactions = transactions;
    this.settings = settings;
    this.metrics = new SweepMetrics(metrics, "delegation");
    this.failing = new FailingUnits("delegation-sweep", metrics);
  }

  /** Runs one sweep; throws only if the database is unreachable. */
  SweepReport sweep() {
    return metrics.measure(() -> {
      Optional<Uptime> up = uptime.tickAndRead();
      Instant now = up.orElseGet(uptime::read).now();
      Tally failed = run((from, only) -> repository.failOverdue(now, from, only));
      Tally stuck =
          up.filter(this::graceIsOver).map(known -> markStuck(known.now())).orElse(Tally.NONE);
      SweepReport report =
          new SweepReport(failed.moved(), stuck.moved(), failed.errors() + stuck.errors());
      if (report.deadlineFailures() + report.stuckMarked() + report.errors() > 0) {
        log.info(
            "delegations swept: {} past their deadline, {} stuck, {} errors",
            report.deadlineFailures(),
            report.stuckMarked(),
            report.errors());
      }
      return report;
    });
  }

  /**
   * Tells whether one stuck threshold has passed since the last uptime gap. During the gap no
   * heartbeat could arrive.
   */
  private boolean graceIsOver(Uptime up) {
    return !up.upSince().plus(settings.stuckThreshold()).isAfter(up.now());
  }

  private Tally markStuck(Instant now) {
    Instant silentSince = now.minus(settings.stuckThreshold());
    return run((from, only) -> repository.markStuck(now, silentSince, from, only));
  }

  private Tally run(Rule rule) {
    return new SweepRuleRun(repository, transactions, metrics, ledger, rule, failing).run();
  }
}
