package dev.muster.delegation;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * The settings of the sweeper (R8.8).
 *
 * @param interval time between two sweeps
 * @param stuckThreshold time without a heartbeat after which a delegation is stuck
 */
@ConfigurationProperties("muster.delegation.sweeper")
record SweeperSettings(boolean enabled, Duration interval, Duration stuckThreshold) {}
