package dev.muster.event;

import dev.muster.event.ReplicaNotifier.ReplicaTopic;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * The content of one notification between replicas: per topic, all or some ids.
 *
 * <p>Notifications can be merged. With more than {@code MAX_IDS} ids, a topic covers all ids.
 *
 * <p>Text form: the sending replica's id, then for each topic its name, {@code =}, and the
 * concatenated ids or {@code *}. Older replicas send only their id, which means all events. Any
 * other text, such as one from a newer replica, means all ids of all topics. That costs extra
 * queries and misses no change.
 */
final class ReplicaNotification {

  /** Together with the sender and the topics, so many ids fit the 8,000 bytes of a NOTIFY. */
  static final int MAX_IDS = 350;

  private static final String ALL = "*";
  private static final int CHARACTERS_OF_AN_ID = 22;
  private static final int BYTES_OF_AN_ID = 16;

  private final Set<ReplicaTopic> all = EnumSet.noneOf(ReplicaTopic.class);
  private final Map<ReplicaTopic, Set<UUID>> named = new EnumMap<>(ReplicaTopic.class);

  static String senderOf(String text) {
    int end = text.indexOf(' ');
    return end < 0 ? text : text.substring(0, end);
  }

  boolean isEmpty() {
    return all.isEmpty() && named.isEmpty();
  }

  boolean isAboutAll(ReplicaTopic topic) {
    return all.contains(topic);
  }

  /** Returns the listed ids of a topic; empty when the topic is covered entirely or not at all. */
  Set<UUID> ids(ReplicaTopic topic) {
    return Collections.unmodifiableSet(named.getOrDefault(topic, Set.of()));
  }

  void add(ReplicaTopic topic) {
    all.add(topic);
    named.remove(topic);
  }

  void add(ReplicaTopic topic, Collection<UUID> ids) {
    if (all.contains(topic) || ids.isEmpty()) {
      return;
    }
    named.computeIfAbsent(topic, first -> new HashSet<>()).addAll(ids);
    if (named.values().stream().mapToInt(Set::size).sum() > MAX_IDS) {
      add(topic);
    }
  }

  void add(ReplicaNotification other) {
    other.all.forEach(this::add);
    other.named.forEach(this::add);
  }

  void addText(String text) {
    String sender = senderOf(text);
    if (sender.equals(text) && isId(sender)) {
      add(ReplicaTopic.EVENTS);
      return;
    }
    try {
      for (String part : text.substring(sender.length()).strip().split(" ", -1)) {
        addPart(part);
      }
    } catch (IllegalArgumentException notUnderstood) {
      EnumSet.allOf(ReplicaTopic.class).forEach(this::add);
    }
  }

  String text(String sender) {
    StringBuilder text = new StringBuilder(sender);
    for (ReplicaTopic topic : ReplicaTopic.values()) {
      if (all.contains(topic)) {
        text.append(' ').append(topic).append('=').append(ALL);
      } else if (named.containsKey(topic)) {
        text.append(' ').append(topic).append('=');
        ids(topic).forEach(id -> text.append(encoded(id)));
      }
    }
    return text.toString();
  }

  private void addPart(String part) {
    String[] sides = part.split("=", 2);
    ReplicaTopic topic = ReplicaTopic.valueOf(sides[0]);
    String about = sides.length == 2 ? sides[1] : "";
    if (about.equals(ALL)) {
      add(topic);
    } else if (about.isEmpty() || about.length() % CHARACTERS_OF_AN_ID != 0) {
      throw new IllegalArgumentException("not a row of ids");
    } else {
      for (int i = 0; i < about.length(); i += CHARACTERS_OF_AN_ID) {
        add(topic, Set.of(decoded(about.substring(i, i + CHARACTERS_OF_AN_ID))));
      }
    }
  }

  private static boolean isId(String text) {
    try {
      return UUID.fromString(text).toString().equals(text);
    } catch (IllegalArgumentException noId) {
      return false;
    }
  }

  private static String encoded(UUID id) {
    byte[] bytes =
        ByteBuffer.allocate(BYTES_OF_AN_ID)
            .putLong(id.getMostSignificantBits())
            .putLong(id.getLeastSignificantBits())
            .array();
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  private static UUID decoded(String text) {
    ByteBuffer bytes = ByteBuffer.wrap(Base64.getUrlDecoder().decode(text));
    return new UUID(bytes.getLong(), bytes.getLong());
  }
}
