package dev.muster.message.store;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.util.unit.DataSize;

/**
 * The settings of feeds (docs/api.md, section 12).
 *
 * @param retention how long acknowledged rows are kept
 * @param hardRetention how long any row is kept
 * @param feedMaxRows how many unread rows a feed may hold
 * @param feedMaxBytes how many bytes the unread rows may take
 */
@ConfigurationProperties("muster.activity")
public record ActivitySettings(
    Duration retention,
    Duration hardRetention,
    Duration cleanupInterval,
    int feedMaxRows,
    DataSize feedMaxBytes) {}
