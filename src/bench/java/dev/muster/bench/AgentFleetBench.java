package dev.muster.bench;

import dev.muster.agent.AgentClient;
import dev.muster.agent.AgentLoop;
import dev.muster.agent.PollDelivery;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import okhttp3.ConnectionPool;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Response;

/**
 * Many agents of the library in one JVM, on virtual threads and one HTTP client, against a server
 * process: how many stay online, and the cost on both sides.
 *
 * <p>Arguments, all optional: agents (10,000), seconds (120), starts a second (80).
 */
public final class AgentFleetBench {

  private static final int KEPT_CONNECTIONS = 100_000;
  private static final double KIB = 1024.0;

  private final AtomicLong heartbeats = new AtomicLong();
  private final AtomicLong threads = new AtomicLong();
  private final ThreadFactory virtual =
      work -> {
        threads.incrementAndGet();
        return Thread.ofVirtual().unstarted(work);
      };

  private final Duration betweenStarts;

  private AgentFleetBench(int startsPerSecond) {
    this.betweenStarts = Duration.ofSeconds(1).dividedBy(startsPerSecond);
  }

  public static void main(String[] args) throws Exception {
    int agents = args.length > 0 ? Integer.parseInt(args[0]) : 10_000;
    int seconds = args.length > 1 ? Integer.parseInt(args[1]) : 120;
    int startsPerSecond = args.length > 2 ? Integer.parseInt(args[2]) : 80;
    new AgentFleetBench(startsPerSecond).run(agents, seconds);
  }

  private void run(int size, int seconds) throws Exception {
    try (BenchDatabase database = BenchDatabase.start();
        BenchProcess server =
            BenchProcess.start(database.url(), Map.of("HEARTBEAT_INTERVAL_S", "30"))) {
      List<String[]> fleet = BenchFleet.seed(database.url(), size);
      OkHttpClient http =
          new OkHttpClient.Builder()
              .connectionPool(new ConnectionPool(KEPT_CONNECTIONS, 2, TimeUnit.MINUTES))
              .addInterceptor(this::counted)
              .build();
      double heapBefore = usedHeapKiB();
      List<AgentLoop> loops = start(server.baseUrl(), fleet, http);
      // until each has sent its first heartbeat and holds its first poll
      rest(Duration.ofSeconds(35));
      measure(database.url(), server, loops, seconds, heapBefore);
      loops.forEach(AgentLoop::stop);
    }
  }

  private List<AgentLoop> start(String url, List<String[]> fleet, OkHttpClient http) {
    List<AgentLoop> loops = new ArrayList<>();
    for (String[] agent : fleet) {
      AgentClient client = AgentClient.builder(url, agent[0]).token(agent[1]).http(http).build();
      AgentLoop loop =
          AgentLoop.builder(client)
              .threads(virtual)
              .delivery(PollDelivery.builder(client).build())
              .answering((_, _) -> null)
              .build();
      loop.start();
      loops.add(loop);
      rest(betweenStarts);
    }
    return loops;
  }

  private void measure(
      String url, BenchProcess server, List<AgentLoop> loops, int seconds, double heapBefore)
      throws Exception {
    long heartbeatsBefore = heartbeats.get();
    Duration serverBefore = server.processorTime();
    Duration agentsBefore = ownProcessorTime();
    long began = System.nanoTime();
    rest(Duration.ofSeconds(seconds));
    double took = (System.nanoTime() - began) / 1e9;
    double ofServer = percent(server.processorTime().minus(serverBefore), took);
    double ofAgents = percent(ownProcessorTime().minus(agentsBefore), took);
    double perSecond = (heartbeats.get() - heartbeatsBefore) / took;
    int platform = ManagementFactory.getThreadMXBean().getThreadCount();
    double each = (usedHeapKiB() - heapBefore) / loops.size();
    System.out.printf(
        """
        | %,d agents in one JVM, %d s | |
        |---|---|
        | **online at the end** | **%,d** |
        | beats/s | %,.0f |
        | CPU of the server, %% of a core | %.0f |
        | CPU of all agents together, %% of a core | %.0f |
        | threads made by the library (virtual) | %,d |
        | platform threads of their JVM | %d |
        | heap an agent, its connections included, KiB | %.1f |
        | memory of the server (RSS), MiB | %d |
        """,
        loops.size(),
        seconds,
        online(url),
        perSecond,
        ofServer,
        ofAgents,
        threads.get(),
        platform,
        each,
        server.residentMiB());
  }

  private Response counted(Interceptor.Chain chain) throws IOException {
    Response response = chain.proceed(chain.request());
    if (response.isSuccessful()
        && chain.request().url().encodedPath().equals("/registry/heartbeat")) {
      heartbeats.incrementAndGet();
    }
    return response;
  }

  private static int online(String url) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT count(*) FROM workspace_heartbeats WHERE status = 'online'"
                    + " AND last_heartbeat_at > now() - interval '60 s'")) {
      row.next();
      return row.getInt(1);
    }
  }

  private static Duration ownProcessorTime() {
    return BenchProcess.processorTime(ProcessHandle.current());
  }

  private static double usedHeapKiB() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / KIB;
  }

  private static double percent(Duration processor, double seconds) {
    return processor.toNanos() / 1e7 / seconds;
  }

  private static void rest(Duration time) {
    LockSupport.parkNanos(time.toNanos());
  }
}
