package dev.muster.message.store;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.util.unit.DataSize;

/** The settings of feeds ({@code Setting} describes each). */
@ConfigurationProperties("muster.activity")
public record ActivitySettings(
    Duration retention,
    Duration hardRetention,
    Duration cleanupInterval,
    int feedMaxRows,
    DataSize feedMaxBytes) {}
