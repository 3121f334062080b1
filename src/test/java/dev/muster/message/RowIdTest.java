package dev.muster.message;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestServer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Public ids of rows, computed from their feed, number and time. */
class RowIdTest {

  private static final UUID FEED = UUID.fromString("6f0e2a52-8c1e-4b0c-9a44-1f1b1f6d7a10");
  private static final Instant NOW = Instant.parse("2026-03-01T12:34:56.789123Z");
  private static final long LAST_SEQ = (1L << 34) - 1;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 0xffff_ffffL, 1L << 32, 3L << 32, LAST_SEQ})
  void isAUuidOfVersion7ThatBeginsWithTheMilliseconds(long seq) {
    UUID id = RowId.of(FEED, seq, NOW);

    assertThat(id.version()).isEqualTo(7);
    assertThat(id.variant()).isEqualTo(2);
    assertThat(id.getMostSignificantBits() >>> 16).isEqualTo(NOW.toEpochMilli());
  }

  @Test
  void containsTheNumberOfTheRow() {
    Random random = new Random(7);
    LongStream numbers =
        LongStream.concat(
            LongStream.range(0, 34).flatMap(bit -> LongStream.of(1L << bit, (2L << bit) - 1)),
            random.longs(10_000, 1, LAST_SEQ + 1));
    numbers.forEach(seq -> {
      UUID feed = new UUID(random.nextLong(), random.nextLong());
      Instant time = NOW.plus(random.nextLong(1L << 50), ChronoUnit.MICROS);
      UUID id = RowId.of(feed, seq, time);

      assertThat(RowId.seqOf(id)).isEqualTo(seq);
      assertThat(id.version()).isEqualTo(7);
      assertThat(id.variant()).isEqualTo(2);
    });
  }

  @Test
  void namesItsFeedAsTheDatabaseComputesIt() {
    Random random = new Random(11);
    List<UUID> feeds =
        Stream.generate(() -> new UUID(random.nextLong(), random.nextLong())).limit(500).toList();

    assertThat(
            TestServer.shared()
                .database()
                .value(
                    "SELECT string_agg(feed_bits(id)::text, ',' ORDER BY n) FROM"
                        + " unnest('{%s}'::uuid[]) WITH ORDINALITY AS feed (id, n)"
                            .formatted(feeds.stream().map(UUID::toString).collect(joining(",")))))
        .isEqualTo(
            feeds.stream()
                .map(feed -> String.valueOf(RowId.feedBitsOf(RowId.of(feed, 1, NOW))))
                .collect(joining(",")));
  }

  @Test
  void isStableForOneRow() {
    assertThat(RowId.of(UUID.fromString(FEED.toString()), 7, Instant.parse(NOW.toString())))
        .isEqualTo(RowId.of(FEED, 7, NOW));
  }

  /** PostgreSQL compares uuids in the same order as their texts. */
  @Test
  void isOrderedByTimeAndThenByNumber() {
    List<String> ids =
        Stream.of(NOW, plus(1), plus(998), plus(1_000), plus(1_000_000), plus(1L << 50))
            .flatMap(time ->
                LongStream.of(1, 2, 9, 0xffff_ffffL, 1L << 32, 1L << 33, LAST_SEQ)
                    .mapToObj(seq -> RowId.of(FEED, seq, time).toString()))
            .toList();

    List<String> sorted = new ArrayList<>(ids);
    Collections.shuffle(sorted, new Random(7));
    Collections.sort(sorted);
    assertThat(sorted).isEqualTo(ids);
  }

  @Test
  void differsForAnotherFeedTimeOrNumber() {
    UUID id = RowId.of(FEED, 7, NOW);
    for (int bit = 0; bit < 64; bit++) {
      long other = 1L << bit;
      assertThat(RowId.of(flipped(other, 0), 7, NOW)).as("high bit %d", bit).isNotEqualTo(id);
      assertThat(RowId.of(flipped(0, other), 7, NOW)).as("low bit %d", bit).isNotEqualTo(id);
    }
    for (int bit = 0; bit < 34; bit++) {
      assertThat(RowId.of(FEED, 7 ^ 1L << bit, NOW)).as("bit %d", bit).isNotEqualTo(id);
    }
    assertThat(LongStream.range(0, 3_000).mapToObj(micros -> RowId.of(FEED, 7, plus(micros))))
        .doesNotHaveDuplicates();
  }

  /** 30 bits of an id are of its feed: rows of the same number and time rarely get the same id. */
  @Test
  void differsForAlmostEveryFeed() {
    Random random = new Random(7);
    long different =
        Stream.generate(() -> new UUID(random.nextLong(), random.nextLong()))
            .limit(10_000)
            .map(feed -> RowId.of(feed, 7, NOW))
            .distinct()
            .count();
    assertThat(different).isGreaterThan(9_990);
  }

  private static Instant plus(long micros) {
    return NOW.plus(micros, ChronoUnit.MICROS);
  }

  private static UUID flipped(long high, long low) {
    return new UUID(FEED.getMostSignificantBits() ^ high, FEED.getLeastSignificantBits() ^ low);
  }
}
