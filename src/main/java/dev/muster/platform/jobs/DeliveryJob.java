package dev.muster.platform.jobs;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;

/**
 * Durable work on one thing at a time, which one replica of all does: a module declares it as a
 * bean, and {@link DeliveryJobs} schedules it for the things that need it.
 *
 * <p>The body gets the name of the thing, may take long, and says after how long to run again;
 * empty when it is done. A replica that dies during a run is replaced within 30 s, and one that was
 * only suspended may then run beside its successor: an effect outside of the database needs a lease
 * of its own. What a run throws is counted, and the run is repeated after a pause.
 */
public record DeliveryJob(String name, Function<String, Optional<Duration>> body) {}
