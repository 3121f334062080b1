package dev.muster.platform.jobs;

import com.github.kagkarlsson.scheduler.Clock;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Schedules {@link DeliveryJob}s, each for one thing at a time. */
@Service
public class DeliveryJobs {

  private final DeliveryJobRepository repository;
  private final Clock clock;
  private volatile Runnable look = () -> {};

  DeliveryJobs(DeliveryJobRepository repository, Clock clock) {
    this.repository = repository;
    this.clock = clock;
  }

  /** Runs the job for the thing soon. */
  public void schedule(String job, String instance) {
    schedule(job, List.of(instance));
  }

  /** Runs the job soon for each of these things. */
  public void schedule(String job, Collection<String> instances) {
    schedule(job, instances, clock.now());
  }

  /**
   * Runs the job at that time of the database's clock, or at an earlier one that it is scheduled
   * for already; after a run that is under way, once more. All of this only if the caller's
   * transaction commits, when there is one; it then holds the jobs' rows until its end.
   */
  public void schedule(String job, Collection<String> instances, Instant at) {
    if (instances.isEmpty()) {
      return;
    }
    // in one order, as all must who lock more than one
    repository.schedule(job, new TreeSet<>(instances), at);
    lookAfterCommit();
  }

  private void lookAfterCommit() {
    if (!TransactionSynchronizationManager.isSynchronizationActive()) {
      look.run();
      return;
    }
    TransactionSynchronizationManager.registerSynchronization(
        new TransactionSynchronization() {
          @Override
          public void afterCommit() {
            look.run();
          }
        });
  }

  /** What makes this replica look for jobs that are due. */
  void lookWith(Runnable newLook) {
    look = newLook;
  }
}
