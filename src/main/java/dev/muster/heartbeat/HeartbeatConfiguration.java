package dev.muster.heartbeat;

import dev.muster.heartbeat.LivenessController.LivenessView.SelfPreservation;
import dev.muster.heartbeat.StatusRules.ErrorRateThresholds;
import dev.muster.identity.RequestAuthentication;
import dev.muster.platform.http.BodyReader;
import dev.muster.platform.http.NameWarnings;
import dev.muster.platform.http.ProblemWriter;
import dev.muster.platform.log.CachedScrape;
import dev.muster.platform.postgres.ControlPlaneUptime;
import dev.muster.platform.postgres.ControlPlaneUptime.ReplicaHealthCheck;
import dev.muster.platform.postgres.ControlPlaneUptime.UptimeTiming;
import dev.muster.platform.work.RecurringJob;
import dev.muster.platform.work.SweepMetrics;
import dev.muster.workspace.HeartbeatCadence;
import dev.muster.workspace.Workspaces;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Configures the heartbeat endpoint, the sweeps and the inputs of the uptime record. */
@Configuration(proxyBeanMethods = false)
class HeartbeatConfiguration {

  @Bean
  StatusRules statusRules(ErrorRateThresholds thresholds) {
    return new StatusRules(thresholds);
  }

  @Bean
  ServletRegistrationBean<HeartbeatServlet> heartbeatServlet(
      RequestAuthentication authentication,
      BodyReader bodies,
      NameWarnings names,
      Workspaces workspaces,
      Heartbeats heartbeats,
      HeartbeatResponses answers,
      ProblemWriter problems) {
    HeartbeatServlet servlet =
        new HeartbeatServlet(
            authentication, bodies, names, workspaces, heartbeats, answers, problems);
    return new ServletRegistrationBean<>(servlet, HeartbeatServlet.PATH);
  }

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

  /**
   * Exports whether the mass-offline guard suspends offline transitions (R5.3), as 1 or 0. The
   * database says so: all replicas report the same value.
   */
  @Bean
  MeterBinder livenessGauge(ControlPlaneUptime uptime, LivenessSettings settings) {
    CachedScrape<Double> suspended =
        new CachedScrape<>(
            Duration.ofSeconds(1),
            () -> SelfPreservation.of(uptime.read(), settings).suspended() ? 1.0 : 0.0,
            Double.NaN);
    return registry ->
        Gauge.builder("muster.liveness.suspended", suspended::get)
            .description("1 while no workspace goes offline, since too many became stale at once")
            .register(registry);
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
