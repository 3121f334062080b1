package dev.muster.event;

import static dev.muster.event.ReplicaNotifier.ReplicaTopic.EVENTS;
import static dev.muster.event.ReplicaNotifier.ReplicaTopic.FEEDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.event.ReplicaNotifier.ReplicaTopic;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A notification of this or another version names at least what its sender meant. */
class ReplicaNotificationTest {

  private static final String CALLER = UUID.randomUUID().toString();

  @Test
  void isReadAsWritten() {
    Set<UUID> ids = ids(100);
    ids.add(new UUID(0, 0));
    ids.add(new UUID(-1, -1));
    ReplicaNotification call = new ReplicaNotification();
    call.add(EVENTS);
    call.add(FEEDS, ids);
    ReplicaNotification read = read(call.text(CALLER));
    assertThat(read.isAboutAll(EVENTS)).isTrue();
    assertThat(read.isAboutAll(FEEDS)).isFalse();
    assertThat(read.ids(FEEDS)).isEqualTo(ids);
    assertThat(ReplicaNotification.senderOf(call.text(CALLER))).isEqualTo(CALLER);
  }

  @Test
  void namesNoOtherTopic() {
    ReplicaNotification call = new ReplicaNotification();
    call.add(FEEDS, List.of());
    assertThat(call.isEmpty()).isTrue();
    call.add(FEEDS, ids(1));
    ReplicaNotification read = read(call.text(CALLER));
    assertThat(read.isAboutAll(EVENTS)).isFalse();
    assertThat(read.ids(EVENTS)).isEmpty();
  }

  @Test
  void namesAllWhenTheIdsNoLongerFit() {
    ReplicaNotification call = new ReplicaNotification();
    call.add(EVENTS, ids(ReplicaNotification.MAX_IDS / 2));
    call.add(FEEDS, ids(ReplicaNotification.MAX_IDS / 2));
    assertThat(call.text(CALLER).getBytes(StandardCharsets.UTF_8).length).isBetween(7000, 7900);
    assertThat(read(call.text(CALLER)).ids(FEEDS)).hasSize(ReplicaNotification.MAX_IDS / 2);
    call.add(FEEDS, ids(1));
    ReplicaNotification read = read(call.text(CALLER));
    assertThat(read.isAboutAll(FEEDS)).isTrue();
    assertThat(read.ids(EVENTS)).hasSize(ReplicaNotification.MAX_IDS / 2);
    call.add(FEEDS, ids(1));
    assertThat(call.isAboutAll(FEEDS)).isTrue();
  }

  @Test
  void mergesIdsOfTwoNotifications() {
    Set<UUID> one = ids(2);
    Set<UUID> other = ids(3);
    ReplicaNotification call = new ReplicaNotification();
    call.add(FEEDS, one);
    ReplicaNotification later = new ReplicaNotification();
    later.add(FEEDS, other);
    later.add(EVENTS);
    call.add(later);
    assertThat(call.ids(FEEDS)).containsAll(one).containsAll(other).hasSize(5);
    assertThat(call.isAboutAll(EVENTS)).isTrue();
  }

  @Test
  void ofAnOlderReplicaIsAboutEvents() {
    ReplicaNotification read = read(CALLER);
    assertThat(read.isAboutAll(EVENTS)).isTrue();
    assertThat(read.isAboutAll(FEEDS)).isFalse();
    assertThat(read.ids(FEEDS)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "garbage",
        "1-1-1-1-1",
        "FEEDS=*",
        "ID ",
        "ID FEEDS",
        "ID FEEDS=",
        "ID FEEDS=short",
        "ID FEEDS=AAAAAAAAAAAAAAAAAAAAAAx",
        "ID FEEDS=AAAAAAAAAAAAAAAAAAAA==",
        "ID FEEDS=AAAAAAAAAAAAAAAAAAAAA!",
        "ID FEEDS=AAAAAAAAAAAAAAAAAAAAAA EVENTS",
        "ID FEEDS=AAAAAAAAAAAAAAAAAAAAAA ROCKETS=*",
        "ID feeds=*",
        "ID  EVENTS=* FEEDS=**"
      })
  void namesEverythingWhenItCannotBeParsed(String text) {
    ReplicaNotification read = read(text.replace("ID", CALLER));
    assertThat(Stream.of(ReplicaTopic.values())).allMatch(read::isAboutAll);
  }

  private static ReplicaNotification read(String text) {
    ReplicaNotification call = new ReplicaNotification();
    call.addText(text);
    return call;
  }

  private static Set<UUID> ids(int count) {
    return Stream.generate(UUID::randomUUID).limit(count).collect(Collectors.toSet());
  }
}
