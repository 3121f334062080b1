package dev.muster.heartbeat;

import dev.muster.platform.jobs.RecurringJob;
import dev.muster.platform.jobs.SweepMetrics;
import dev.muster.platform.uptime.ReplicaHealthCheck;
import dev.muster.platform.uptime.UptimeTiming;
import dev.muster.workspace.HeartbeatCadence;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Configures the liveness and stall sweeps and the inputs of the uptime record. */
@Configuration(proxyBeanMethods = false)
class LivenessConfiguration {

  @Bean
  UptimeTiming uptimeTiming(HeartbeatCadence cadence) {
    return UptimeTiming.forStaleAfter(cadence.staleAfter());
  }

  @Bean
  ReplicaHealthCheck heartbeatStorageCheck(Heartbeats heartbeats) {
    return heartbeats::storageHealthy;
  }

  @Bean
  SweepMetrics livenessMetrics(MeterRegistry metrics) {
    return new SweepMetrics(metrics, "liveness");
  }

  @Bean
  RecurringJob livenessSweepJob(LivenessSweep sweep, LivenessSettings settings) {
    return new RecurringJob("liveness-sweep", settings.sweepInterval(), sweep::run);
  }

  @Bean
  SweepMetrics stallMetrics(MeterRegistry metrics) {
    return new SweepMetrics(metrics, "stall");
  }

  @Bean
  RecurringJob stallSweepJob(StallSweep sweep, LivenessSettings settings) {
    return new RecurringJob("stall-sweep", settings.sweepInterval(), sweep::run);
  }
}
