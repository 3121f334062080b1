package dev.muster.attack;

import dev.muster.attack.Connection.Answer;
import dev.muster.testing.TestClient.Agent;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Workspaces that are not part of the attack: heartbeats at a fixed rate, each workspace on a
 * connection of its own, and once a second a health check on a new connection, an append, a
 * message, and the poll that receives it. Requests do not wait for earlier ones; latency counts
 * from when they were due.
 */
final class Victim {

  static final String ADDRESS = "127.0.0.1";
  static final String HEALTH = "health";
  static final String APPEND = "append";
  static final String MESSAGE = "message to poll";

  private static final int WORKSPACES = 20;
  private static final int HEARTBEATS_PER_SECOND = 40;
  private static final int TIMEOUT_MS = 10_000;
  private static final int POLL_WAIT_S = 5;
  private static final Duration LAST_MESSAGE = Duration.ofSeconds(8);
  private static final JsonMapper JSON = JsonMapper.shared();

  private final int port;
  private final List<Agent> fleet = new ArrayList<>();
  private final Agent sender;
  private final Agent poller;
  private @Nullable String cursor;

  Victim(AttackedServer server) {
    this.port = server.port();
    String parent = "\"parent_id\":\"" + server.create("Innocents").id() + "\"";
    for (int i = 0; i < WORKSPACES; i++) {
      fleet.add(server.create("Innocent", parent));
    }
    this.sender = server.create("Sender", parent);
    this.poller = server.create("Poller", parent);
  }

  /** Runs for both times and returns the measurements, with the latencies of the second time. */
  Experience live(Duration settling, Duration time) throws InterruptedException {
    long start = System.nanoTime();
    Experience experience = new Experience(start + settling.toNanos());
    long end = start + settling.plus(time).toNanos();
    List<Thread> threads = new ArrayList<>();
    long period = Duration.ofSeconds(1).toNanos() * WORKSPACES / HEARTBEATS_PER_SECOND;
    for (int i = 0; i < WORKSPACES; i++) {
      Agent agent = fleet.get(i);
      byte[] heartbeat =
          Connection.request(
              "POST",
              "/registry/heartbeat",
              agent.token(),
              "{\"workspace_id\":\"" + agent.id() + "\",\"active_tasks\":0}");
      Pace pace = new Pace(start + i * period / WORKSPACES, period, end);
      threads.add(start(() -> repeat(experience, Experience.HEARTBEAT, pace, heartbeat)));
    }
    Pace eachSecond = new Pace(start, Duration.ofSeconds(1).toNanos(), end);
    threads.add(start(() -> checkHealth(experience, eachSecond)));
    byte[] append =
        Connection.request(
            "POST",
            "/workspaces/" + sender.id() + "/activity",
            sender.token(),
            "{\"activity_type\":\"agent_log\",\"summary\":\"at work\"}");
    threads.add(start(() -> repeat(experience, APPEND, eachSecond, append)));
    Messages messages = new Messages(experience);
    threads.add(start(() -> messages.send(eachSecond)));
    threads.add(start(() -> messages.poll(end + LAST_MESSAGE.toNanos())));
    for (Thread thread : threads) {
      thread.join();
    }
    return experience;
  }

  private static Thread start(Runnable work) {
    return Thread.ofPlatform().daemon().name("victim").start(work);
  }

  /** Times of {@link System#nanoTime} at which something is due. */
  private record Pace(long first, long period, long end) {

    static void await(long due) {
      for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
    }
  }

  private void repeat(Experience experience, String what, Pace pace, byte[] request) {
    @Nullable Connection connection = null;
    long failedUntil = Long.MIN_VALUE;
    for (long due = pace.first(); due < pace.end(); due += pace.period()) {
      Pace.await(due);
      if (due < failedUntil) {
        experience.failed(what, "was due while one before it was not answered");
        continue;
      }
      try {
        if (connection == null) {
          connection = Connection.open(port, ADDRESS, TIMEOUT_MS);
        }
        experience.answered(what, connection.exchange(request), due);
      } catch (IOException e) {
        experience.failed(what, e.toString());
        failedUntil = System.nanoTime();
        if (connection != null) {
          connection.close();
        }
        connection = null;
      }
    }
    if (connection != null) {
      connection.close();
    }
  }

  private void checkHealth(Experience experience, Pace pace) {
    byte[] request = Connection.request("GET", "/health", null, null, "Connection: close");
    for (long due = pace.first(); due < pace.end(); due += pace.period()) {
      Pace.await(due);
      try (Connection connection = Connection.open(port, ADDRESS, TIMEOUT_MS)) {
        experience.answered(HEALTH, connection.exchange(request), due);
      } catch (IOException e) {
        experience.failed(HEALTH, e.toString());
      }
    }
  }

  /** Sends one message a second; its latency counts from when it is due until it is polled. */
  private final class Messages {

    private final Experience experience;
    private final List<Long> due = new ArrayList<>();
    private int polled;
    private boolean lastIsDue;

    Messages(Experience experience) {
      this.experience = experience;
    }

    void send(Pace pace) {
      String path = "/workspaces/" + poller.id() + "/a2a";
      for (long at = pace.first(); at < pace.end(); at += pace.period()) {
        Pace.await(at);
        String text =
            "{\"method\":\"message/send\",\"params\":{\"message\":{\"messageId\":\"%s\",\"content\":\"hello\"}}}"
                .formatted(UUID.randomUUID());
        try (Connection connection = Connection.open(port, ADDRESS, TIMEOUT_MS)) {
          synchronized (due) {
            due.add(at);
            lastIsDue = at + pace.period() >= pace.end();
          }
          Answer answer =
              connection.exchange(Connection.request("POST", path, sender.token(), text));
          if (answer.status() != 200) {
            throw new IOException("answered " + answer.status() + ": " + answer.body());
          }
        } catch (IOException e) {
          experience.failed(MESSAGE, "sending: " + e);
          synchronized (due) {
            due.removeLast();
          }
        }
      }
    }

    void poll(long giveUpAt) {
      while (System.nanoTime() < giveUpAt && !isDone()) {
        try (Connection connection = Connection.open(port, ADDRESS, TIMEOUT_MS)) {
          String since = cursor == null ? "" : "&since_id=" + cursor;
          String path =
              "/workspaces/%s/activity?type=a2a_receive&wait=%d%s"
                  .formatted(poller.id(), POLL_WAIT_S, since);
          Answer answer =
              connection.exchange(Connection.request("GET", path, poller.token(), null));
          if (answer.status() != 200) {
            throw new IOException("answered " + answer.status() + ": " + answer.body());
          }
          take(JSON.readTree(answer.body()));
        } catch (IOException e) {
          experience.failed(MESSAGE, "polling: " + e);
          LockSupport.parkNanos(Duration.ofMillis(200).toNanos());
        }
      }
      for (int missing = polled; missing < due.size(); missing++) {
        experience.failed(MESSAGE, "a message was not polled");
      }
    }

    private boolean isDone() {
      synchronized (due) {
        return lastIsDue && polled >= due.size();
      }
    }

    /** A message whose sending failed may be stored all the same, without a due time. */
    private void take(JsonNode rows) {
      for (JsonNode row : rows) {
        cursor = row.path("id").asString();
        synchronized (due) {
          if (polled < due.size()) {
            experience.succeeded(MESSAGE, due.get(polled++));
          }
        }
      }
    }
  }
}
