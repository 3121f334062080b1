package dev.muster.attack;

import dev.muster.attack.Connection.Answer;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Attacks by the requests of one workspace. */
final class WorkspaceAttacks {

  private static final int LIMIT_PER_MINUTE = 600;
  private static final int SLACK = 60;
  private static final int ROW_BYTES = 500_000;
  private static final long MAX_FEED_BYTES = 600L << 20;
  private static final AtomicInteger REGISTRATIONS = new AtomicInteger();
  private static final AtomicInteger SIGN_INS = new AtomicInteger();
  private static final int SIGN_INS_OF_AN_ADDRESS = 10;
  private static final int MAX_SESSIONS = 20;
  private static final int LISTED = 5_000;
  private static final int LISTED_IN_SHORT = 100;
  private static final int REGISTERED_OF_AN_ADDRESS = 100;
  private static final int LIST_BYTES = 5_000_000;
  private static final int LISTERS = 10;
  private static final int LISTERS_BESIDE_OTHERS = 2;
  private static final int TIMEOUT_MS = 30_000;
  private static final int REGISTRARS = 50;
  private static final int WOKEN_POLLS = 100;
  private static final int RESUMED_STREAMS = 40;
  private static final int POSTS_AT_ONCE = 20;

  private WorkspaceAttacks() {}

  static List<Attack> all() {
    return List.of(
        new Attack("minted-tokens", WorkspaceAttacks::mintTokens),
        Attack.alone("opened-sessions", WorkspaceAttacks::openSessions),
        new Attack("filled-feed", WorkspaceAttacks::fillFeed),
        new Attack("whole-lists", WorkspaceAttacks::listAll),
        Attack.alone("registrations-at-once", WorkspaceAttacks::registerAtOnce),
        Attack.alone("woken-polls", WorkspaceAttacks::wakePolls),
        Attack.alone("resumed-streams", WorkspaceAttacks::resumeStreams),
        Attack.alone("runtime-posts", WorkspaceAttacks::postRuntimeEvents));
  }

  /** Mints tokens, and sends as many requests with each as it allows. */
  private static void mintTokens(AttackRun run) {
    Agent attacker = run.workspace();
    String tokens = "/workspaces/" + attacker.id() + "/tokens";
    long start = System.nanoTime();
    run.repeat(
        6,
        () -> {
          Answer minted = run.request(Connection.request("POST", tokens, attacker.token(), null));
          if (minted.status() != 201) {
            run.pause(Duration.ofMillis(100));
            return;
          }
          String token = minted.body().replaceFirst(".*\"auth_token\":\"([^\"]+)\".*", "$1");
          byte[] read = Connection.request("GET", "/workspaces/" + attacker.id(), token, null);
          Connection connection = run.connect();
          try {
            int status = 200;
            for (int i = 0; i < 2 * LIMIT_PER_MINUTE && status == 200 && run.goesOn(); i++) {
              status = connection.exchange(read).status();
              run.count(String.valueOf(status));
            }
          } finally {
            run.close(connection);
          }
        });
    run.atEnd(() -> {
      double minutes = (System.nanoTime() - start) / 60e9;
      int passed = run.counted("200") + run.counted("201");
      run.expect(
          passed <= LIMIT_PER_MINUTE * (1 + minutes) + SLACK,
          "tokens do not multiply the rate limit: " + passed + " requests passed");
    });
    run.atEnd(() ->
        run.expect(
            !run.isAlone() || run.holdsSoon(() -> run.counted("429") > 0),
            "a workspace with many tokens is limited"));
  }

  /** Signs in to the console again and again, from as many addresses as that needs. */
  private static void openSessions(AttackRun run) {
    Agent attacker = run.workspace();
    byte[] signIn =
        Connection.request(
            "POST", "/console/session", null, "{\"token\":\"" + attacker.token() + "\"}");
    run.repeat(
        4,
        () -> {
          int n = SIGN_INS.getAndIncrement() / SIGN_INS_OF_AN_ADDRESS;
          String address = "127.10.%d.%d".formatted(n / 200 % 200, 1 + n % 200);
          try (Connection connection = Connection.open(run.port(), address, TIMEOUT_MS)) {
            run.count(String.valueOf(connection.exchange(signIn).status()));
          }
        });
    run.atEnd(() ->
        run.expect(
            run.holdsSoon(() -> run.counted("201") > 2 * MAX_SESSIONS),
            "it opens more sessions than it may have"));
    run.atEnd(() -> {
      String live = run.client().get("/console/sessions", TestServer.ADMIN_TOKEN).text();
      int own = live.split(attacker.id().toString(), -1).length - 1;
      run.expect(own > 0 && own <= MAX_SESSIONS, "its oldest sessions end: it has " + own);
    });
  }

  /**
   * A viewer lists 5,000 workspaces ten times a second; the short form has fewer, with cards that
   * are larger instead. Beside all other attacks it is twice a second: ten lists of 5 MB would take
   * a processor, which two processors do not have left then.
   */
  private static void listAll(AttackRun run) throws IOException {
    int workspaces =
        run.time().compareTo(Duration.ofSeconds(30)) < 0 || !run.isAlone()
            ? LISTED_IN_SHORT
            : LISTED;
    register(run, workspaces);
    String viewer =
        run.client()
            .post("/admin/tokens", TestServer.ADMIN_TOKEN, "{\"name\":\"x\",\"role\":\"viewer\"}")
            .field("auth_token");
    byte[] list = Connection.request("GET", "/workspaces", viewer, null);
    run.repeat(
        run.isAlone() ? LISTERS : LISTERS_BESIDE_OTHERS,
        () -> {
          long start = System.nanoTime();
          run.request(list);
          run.pause(Duration.ofSeconds(1).minusNanos(System.nanoTime() - start));
        });
    run.atEnd(() ->
        run.expect(
            run.holdsSoon(() -> run.counted("200") > 0), "a viewer gets some of its whole lists"));
  }

  /** An operator creates as many workspaces as its rate limit allows, all at once. */
  private static void registerAtOnce(AttackRun run) {
    String operator =
        run.client()
            .post("/admin/tokens", TestServer.ADMIN_TOKEN, "{\"name\":\"y\",\"role\":\"operator\"}")
            .field("auth_token");
    byte[] create =
        Connection.request("POST", "/workspaces", operator, "{\"name\":\"one of many\"}");
    run.repeat(REGISTRARS, () -> restAfter429(run, run.request(create)));
    byte[] own =
        Connection.request("POST", "/workspaces", TestServer.ADMIN_TOKEN, "{\"name\":\"own\"}");
    run.repeat(
        1,
        () -> {
          Answer created = run.request(own);
          run.expect(
              created.status() == 201 || created.status() == 429 || !run.goesOn(),
              "another caller creates a workspace meanwhile: %.200s".formatted(created));
          run.pause(Duration.ofSeconds(1));
        });
    run.atEnd(() ->
        run.expect(
            run.holdsSoon(() -> run.counted("201") > 0), "workspaces are created meanwhile"));
  }

  /** Each row that the workspace appends lets its held polls look, and none finds what it wants. */
  private static void wakePolls(AttackRun run) {
    Agent attacker = run.workspace();
    String feed = "/workspaces/" + attacker.id() + "/activity";
    byte[] poll =
        Connection.request("GET", feed + "?type=skill_promotion&wait=2", attacker.token(), null);
    byte[] append =
        Connection.request("POST", feed, attacker.token(), "{\"activity_type\":\"agent_log\"}");
    run.repeat(WOKEN_POLLS, () -> restAfter429(run, run.request(poll)));
    run.repeat(
        1,
        () -> {
          restAfter429(run, run.request(append));
          run.pause(Duration.ofMillis(100));
        });
    run.atEnd(() ->
        run.expect(
            run.holdsSoon(() -> run.counted("200") > WOKEN_POLLS),
            "its polls are answered when their time is over"));
  }

  /** Streams read all past events of their workspace, and end before they have them. */
  private static void resumeStreams(AttackRun run) {
    Agent attacker = run.workspace();
    byte[] resume =
        Connection.request(
            "GET",
            "/workspaces/" + attacker.id() + "/events/stream?after=0",
            attacker.token(),
            null);
    run.repeat(
        RESUMED_STREAMS,
        () -> {
          Connection connection = run.connect();
          try {
            int status = connection.exchange(resume).status();
            run.count(String.valueOf(status));
            run.pause(Duration.ofMillis(status == 200 ? 20 : 1000));
          } finally {
            run.close(connection);
          }
        });
    run.atEnd(
        () -> run.expect(run.holdsSoon(() -> run.counted("200") > 0), "some of its streams begin"));
  }

  /** All posts wait for the row of one workspace. */
  private static void postRuntimeEvents(AttackRun run) {
    Agent attacker = run.workspace();
    byte[] post =
        Connection.request(
            "POST",
            "/workspaces/" + attacker.id() + "/runtime-events",
            attacker.token(),
            "{\"type\":\"RuntimeError\",\"payload\":{\"task_name\":\"t\",\"kind\":\"x\",\"message\":\"\"}}");
    run.repeat(POSTS_AT_ONCE, () -> restAfter429(run, run.request(post)));
    run.atEnd(
        () -> run.expect(run.holdsSoon(() -> run.counted("429") > 0), "its posts are limited"));
  }

  private static void restAfter429(AttackRun run, Answer answer) throws InterruptedException {
    if (answer.status() == 429) {
      run.pause(Duration.ofSeconds(1));
    }
  }

  /** Registers without credentials, from as many addresses as the rate limit of each needs. */
  private static void register(AttackRun run, int workspaces) throws IOException {
    String addresses = "127.9." + REGISTRATIONS.incrementAndGet() + ".";
    String card = "{\"description\":\"" + "a".repeat(LIST_BYTES / workspaces) + "\"}";
    for (int n = 0; n < workspaces; n++) {
      String body = "{\"id\":\"%s\",\"agent_card\":%s}".formatted(UUID.randomUUID(), card);
      String address = addresses + (1 + n / REGISTERED_OF_AN_ADDRESS);
      try (Connection connection = Connection.open(run.port(), address, TIMEOUT_MS)) {
        int status =
            connection
                .exchange(Connection.request("POST", "/registry/register", null, body))
                .status();
        if (status != 200) {
          throw new AssertionError("not registered: " + status);
        }
      }
    }
  }

  /** Appends rows of half a megabyte until the feed is full. */
  private static void fillFeed(AttackRun run) {
    Agent attacker = run.workspace();
    byte[] append =
        Connection.request(
            "POST",
            "/workspaces/" + attacker.id() + "/activity",
            attacker.token(),
            "{\"activity_type\":\"agent_log\",\"request_body\":{\"text\":\"%s\"}}"
                .formatted("a".repeat(ROW_BYTES)));
    AtomicLong sent = new AtomicLong();
    run.repeat(
        2,
        () -> {
          if (sent.addAndGet(ROW_BYTES) > MAX_FEED_BYTES) {
            run.pause(Duration.ofSeconds(1));
            return;
          }
          Answer answer = run.request(append);
          run.pause(Duration.ofMillis(answer.status() == 200 ? 200 : 1000));
        });
  }
}
