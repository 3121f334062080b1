package dev.muster.console.fleet;

import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * The counts of the fleet, as of one event.
 *
 * @param seq the newest event that the counts include
 * @param runtime the counts of the most frequent runtimes, and of all others together
 * @param delegations the counts of delegations in flight by status; the filter does not apply to
 *     them
 */
record FleetSummary(
    long seq,
    Instant at,
    long total,
    Map<String, Long> status,
    Map<String, Long> reason,
    Map<String, Long> runtime,
    long stalled,
    Map<String, Long> delegations,
    Queue queue,
    List<FleetRow> worst,
    List<Banner> banners) {

  /** The number of messages that wait for agents, and the age of the oldest in seconds. */
  record Queue(long waiting, long oldestS) {}

  /**
   * A condition of the server that makes statuses less reliable.
   *
   * @param kind {@code own_absence}: no server ran until {@code since}; {@code mass_silence}: too
   *     many agents are silent at once, so none is taken offline
   * @param until the latest time at which statuses are reliable again
   */
  record Banner(String kind, Instant since, Instant until) {}
}
