package dev.muster.delegation;

import dev.muster.activity.NewActivity;
import dev.muster.delegation.RuleRun.Rule;
import dev.muster.delegation.RuleRun.Tally;
import dev.muster.delegation.SweepRepository.Moved;
import dev.muster.event.Events;
import dev.muster.platform.commit.CertainTransactions;
import dev.muster.platform.jobs.SweepMetrics;
import dev.muster.platform.uptime.ControlPlaneUptime;
import dev.muster.platform.uptime.Uptime;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Finds the delegations that will not end by themselves (R8.8): first those past their deadline,
 * which fail, since agents that beat for ever hang without getting anywhere; then those whose
 * callee was heard of and fell silent, which are stuck. One that was never heard of has until its
 * deadline.
 *
 * <p>Several sweeps at once do no harm: what another one has moved counts as a lost race.
 */
@Component
class Sweeper {

  /**
   * What a sweep did.
   *
   * @param deadlineFailures delegations past their deadline, which failed
   * @param stuckMarked delegations of silent callees, which are stuck
   * @param errors those that another transaction changed first, and those that could not be stored
   */
  record SweepReport(int deadlineFailures, int stuckMarked, int errors) {}

  private static final Logger log = LoggerFactory.getLogger(Sweeper.class);

  private final SweepRepository repository;
  private final Ledger ledger;
  private final DelegationEvents delegationEvents;
  private final Events events;
  private final DelegationMetrics delegationMetrics;
  private final ControlPlaneUptime uptime;
  private final CertainTransactions transactions;
  private final SweeperSettings settings;
  private final SweepMetrics metrics;

  Sweeper(
      SweepRepository repository,
      Ledger ledger,
      DelegationEvents delegationEvents,
      Events events,
      DelegationMetrics delegationMetrics,
      ControlPlaneUptime uptime,
      CertainTransactions transactions,
      SweeperSettings settings,
      SweepMetrics sweeperMetrics) {
    this.repository = repository;
    this.ledger = ledger;
    this.delegationEvents = delegationEvents;
    this.events = events;
    this.delegationMetrics = delegationMetrics;
    this.uptime = uptime;
    this.transactions = transactions;
    this.settings = settings;
    this.metrics = sweeperMetrics;
  }

  /** Throws only when the database is away. */
  SweepReport sweep() {
    return metrics.measure(() -> {
      Optional<Uptime> up = uptime.look();
      Instant now = up.orElseGet(uptime::read).now();
      Tally failed =
          run((from, most, only) -> repository.failOverdue(now, from, most, only), this::tell);
      Tally stuck =
          up.filter(this::mayBlame).map(known -> markStuck(known.now())).orElse(Tally.NONE);
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

  /** While the control plane was away it heard no agent: each gets a threshold's time again. */
  private boolean mayBlame(Uptime up) {
    return !up.upSince().plus(settings.stuckThreshold()).isAfter(up.now());
  }

  private Tally markStuck(Instant now) {
    Instant silentSince = now.minus(settings.stuckThreshold());
    return run(
        (from, most, only) -> repository.markStuck(now, silentSince, from, most, only),
        this::tellOfStuck);
  }

  private void tell(List<Moved> moved) {
    List<NewActivity> rows = ledger.tell(moved.stream().map(Moved::transition).toList());
    ledger.append(rows);
  }

  private void tellOfStuck(List<Moved> moved) {
    events.recordAll(
        moved.stream()
            .map(one ->
                delegationEvents.stuck(
                    one.transition().delegation(), Objects.requireNonNull(one.heardAt())))
            .toList());
    delegationMetrics.countAfterCommit(moved.stream().map(Moved::transition).toList());
  }

  private Tally run(Rule rule, Consumer<List<Moved>> telling) {
    return new RuleRun(repository, transactions, metrics, rule, telling).run();
  }
}
