package dev.muster.event;

import static dev.muster.event.ReplicaNotifier.ReplicaTopic.EVENTS;
import static dev.muster.event.ReplicaNotifier.ReplicaTopic.FEEDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.event.ReplicaNotifier.ReplicaNotificationListener;
import dev.muster.event.ReplicaNotifier.ReplicaTopic;
import dev.muster.testing.MachinePauses;
import dev.muster.testing.Poison;
import dev.muster.testing.Slow;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** A notification of one replica reaches the listeners of its topic on the other replica only. */
@Slow
@Timeout(60)
class ReplicaNotifierTest {

  private static final String KILL_LISTENERS =
      """
      SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
      WHERE application_name = 'muster-listener' AND datname = current_database()
      """;

  private static final TestDatabase DATABASE = TestDatabases.create();
  private static final List<TestServer> SERVERS = new ArrayList<>();

  /** Records its notifications. */
  abstract static class RecordingListener implements ReplicaNotificationListener {

    final List<Set<UUID>> calls = new CopyOnWriteArrayList<>();
    final AtomicInteger aboutAll = new AtomicInteger();

    @Override
    public void onNotification(Set<UUID> ids) {
      calls.add(ids);
    }

    @Override
    public void onResync() {
      aboutAll.incrementAndGet();
    }

    Set<UUID> ids() {
      return calls.stream().flatMap(Set::stream).collect(Collectors.toSet());
    }
  }

  static final class OfFeeds extends RecordingListener {

    @Override
    public ReplicaTopic topic() {
      return FEEDS;
    }
  }

  static final class OfEvents extends RecordingListener {

    @Override
    public ReplicaTopic topic() {
      return EVENTS;
    }
  }

  /** Fails each time; it is before the others. */
  static final class Failing extends RecordingListener {

    private volatile boolean fails;

    @Override
    public void onNotification(Set<UUID> ids) {
      super.onNotification(ids);
      if (fails) {
        throw new IllegalStateException("a listener that fails");
      }
    }

    @Override
    public ReplicaTopic topic() {
      return FEEDS;
    }
  }

  /** The listeners as beans. */
  static final class Receivers {

    @Bean
    @Order(Ordered.HIGHEST_PRECEDENCE)
    Failing failing() {
      return new Failing();
    }

    @Bean
    OfFeeds ofFeeds() {
      return new OfFeeds();
    }

    @Bean
    OfEvents ofEvents() {
      return new OfEvents();
    }
  }

  @BeforeAll
  static void start() {
    SERVERS.add(TestServer.startWith(DATABASE, List.of(Receivers.class)));
    SERVERS.add(TestServer.startWith(DATABASE, List.of(Receivers.class)));
    for (TestServer server : SERVERS) {
      // each connection of a listener begins with a resync
      Awaitility.await().until(() -> server.bean(OfFeeds.class).aboutAll.get() >= 1);
    }
  }

  @AfterAll
  static void stop() {
    SERVERS.forEach(TestServer::close);
  }

  private final ReplicaNotifier here = SERVERS.getFirst().bean(ReplicaNotifier.class);
  private final OfFeeds feedsHere = SERVERS.getFirst().bean(OfFeeds.class);
  private final OfFeeds feedsThere = SERVERS.getLast().bean(OfFeeds.class);
  private final OfEvents eventsThere = SERVERS.getLast().bean(OfEvents.class);

  @Test
  void reachesTheOthersWhenOneListenerFails() {
    TestServer there = SERVERS.getLast();
    Failing failing = there.bean(Failing.class);
    failing.fails = true;
    try (Poison poison = Poison.of(there, "replica-notification-reader")) {
      Set<UUID> ids = ids(3);
      here.send(FEEDS, ids);

      Awaitility.await().until(() -> feedsThere.ids().containsAll(ids));
      Set<UUID> later = ids(3);
      here.send(FEEDS, later);
      Awaitility.await().until(() -> feedsThere.ids().containsAll(later));

      assertThat(failing.ids()).containsAll(ids).doesNotContainAnyElementsOf(later);
      assertThat(poison.lines("Failing")).hasSize(1);
      assertThat(poison.counted()).isEqualTo(1);
    } finally {
      failing.fails = false;
    }
  }

  @Test
  void namesExactlyTheChangedIds() {
    Set<UUID> ids = ids(3);
    int before = feedsThere.calls.size();
    int aboutAll = feedsThere.aboutAll.get();
    int events = eventsThere.calls.size();
    here.send(FEEDS, ids);
    Awaitility.await().until(() -> feedsThere.calls.size() > before);
    assertThat(feedsThere.calls.get(before)).isEqualTo(ids);
    assertThat(feedsThere.aboutAll).hasValue(aboutAll);
    assertThat(eventsThere.calls).hasSize(events);
    assertThat(feedsHere.ids()).doesNotContainAnyElementsOf(ids);
  }

  @Test
  void joinsManyNotificationsIntoTwentyASecondAndLosesNone() {
    Set<UUID> ids = new HashSet<>();
    int before = feedsThere.calls.size();
    long start = System.nanoTime();
    Awaitility.await()
        .pollInterval(Duration.ofMillis(1))
        .until(() -> {
          UUID id = UUID.randomUUID();
          ids.add(id);
          here.send(FEEDS, Set.of(id));
          return feedsThere.calls.size() - before >= 10;
        });
    assertThat(Duration.ofNanos(System.nanoTime() - start).toMillis())
        .isGreaterThanOrEqualTo(9 * 50);
    Awaitility.await().until(() -> feedsThere.ids().containsAll(ids));
  }

  @Test
  void namesAllWhenThereAreTooManyIds() {
    int before = feedsThere.aboutAll.get();
    int calls = feedsThere.calls.size();
    here.send(FEEDS, ids(5000));
    Awaitility.await().until(() -> feedsThere.aboutAll.get() > before);
    assertThat(feedsThere.calls).hasSize(calls);
    here.send(FEEDS);
    Awaitility.await().until(() -> feedsThere.aboutAll.get() > before + 1);
  }

  @Test
  void arrivesSoon() throws Exception {
    try (MachinePauses pauses = new MachinePauses()) {
      List<Long> millis = new ArrayList<>();
      for (int i = 0; i < 30; i++) {
        UUID id = UUID.randomUUID();
        long start = System.nanoTime();
        here.send(FEEDS, Set.of(id));
        Awaitility.await()
            .pollInterval(Duration.ofMillis(1))
            .until(() -> feedsThere.ids().contains(id));
        millis.add(Duration.ofNanos(System.nanoTime() - start).toMillis());
      }
      // 50 ms of it are the pause between two notifications
      assertThat(millis.stream().sorted().toList().get(15))
          .isLessThan(100 + pauses.longest().toMillis());
    }
  }

  @Test
  void ofAnOlderReplicaIsAboutEvents() {
    int events = eventsThere.aboutAll.get();
    UUID last = UUID.randomUUID();
    notifyAll(UUID.randomUUID().toString());
    Awaitility.await().until(() -> eventsThere.aboutAll.get() > events);
    int feeds = feedsThere.aboutAll.get();
    here.send(FEEDS, Set.of(last));
    Awaitility.await().until(() -> feedsThere.ids().contains(last));
    assertThat(feedsThere.aboutAll).hasValue(feeds);
  }

  @Test
  void resyncsWhenANotificationCannotBeParsed() {
    for (String garbage : List.of("", "garbage", "x".repeat(7999))) {
      int feeds = feedsThere.aboutAll.get();
      int events = eventsThere.aboutAll.get();
      notifyAll(garbage);
      Awaitility.await().until(() -> feedsThere.aboutAll.get() > feeds);
      Awaitility.await().until(() -> eventsThere.aboutAll.get() > events);
    }
  }

  @Test
  void resyncsWhenAListenerLostItsConnection() {
    int before = feedsThere.aboutAll.get();
    DATABASE.value(KILL_LISTENERS);
    Awaitility.await().until(() -> feedsThere.aboutAll.get() > before);
    UUID id = UUID.randomUUID();
    here.send(FEEDS, Set.of(id));
    Awaitility.await().until(() -> feedsThere.ids().contains(id));
  }

  private static void notifyAll(String payload) {
    DATABASE.value("SELECT pg_notify('muster_events', '" + payload + "')::text");
  }

  private static Set<UUID> ids(int count) {
    return Stream.generate(UUID::randomUUID).limit(count).collect(Collectors.toSet());
  }
}
