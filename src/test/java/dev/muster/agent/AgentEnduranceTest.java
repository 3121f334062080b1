package dev.muster.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient.Agent;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import tools.jackson.databind.JsonNode;

/**
 * An agent that has handled thousands of messages uses no more threads and memory than a new one.
 */
@Slow
@Timeout(120)
@Isolated("it measures the memory of the JVM")
class AgentEnduranceTest {

  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int ROWS_A_POLL = 10;
  private static final int YOUNG = 1_500;
  private static final int OLD = 6_000;
  private static final long MAX_GROWTH_MIB = 40;
  private static final int MAX_THREADS_OF_OKHTTP = 6;
  private static final String TEXT = "x".repeat(20_000);

  private final AtomicInteger rows = new AtomicInteger();
  private final AtomicInteger handled = new AtomicInteger();
  private final AtomicInteger threads = new AtomicInteger();
  private final Queue<WeakReference<JsonNode>> messages = new ConcurrentLinkedQueue<>();
  private final ThreadFactory counting =
      work -> {
        threads.incrementAndGet();
        return Thread.ofPlatform().daemon().name("counted").unstarted(work);
      };

  @Test
  void boundsItsThreadsAndItsMemory() throws IOException {
    try (ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor();
        AgentLoop loop = loop(platform(workers).getAddress().getPort())) {
      loop.start();
      await().atMost(LIMIT).until(() -> handled.get() >= YOUNG);
      long young = usedMiB();

      await().atMost(LIMIT).until(() -> handled.get() >= OLD);

      await()
          .atMost(LIMIT)
          .untilAsserted(() -> assertThat(usedMiB() - young).isLessThan(MAX_GROWTH_MIB));
      await()
          .atMost(LIMIT)
          .untilAsserted(() -> {
            usedMiB(); // collects those that came since
            assertThat(messages.stream().filter(message -> message.get() != null).count())
                .isLessThan(20L * ROWS_A_POLL);
          });
      assertThat(threads).hasValue(2);
      assertThat(threadsOfOkHttp()).hasSizeLessThanOrEqualTo(MAX_THREADS_OF_OKHTTP);
    }
  }

  private AgentLoop loop(int port) {
    AgentClient client = AgentServer.clientAt(port, new Agent(UUID.randomUUID(), "a-token"));
    return AgentLoop.builder(client)
        .registration(Registration.polling("Old"))
        .delivery(PollDelivery.builder(client).interval(Duration.ZERO).build())
        .threads(counting)
        .handler((message, _) -> {
          messages.add(new WeakReference<>(message.raw()));
          handled.incrementAndGet();
          return Reply.of("noted");
        })
        .build();
  }

  /**
   * A server that always has ten more messages. It stores nothing, so that only the agent could
   * grow.
   */
  private HttpServer platform(ExecutorService workers) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(workers);
    server.createContext(
        "/",
        exchange -> {
          exchange.getRequestBody().readAllBytes();
          boolean polled = exchange.getRequestURI().getPath().endsWith("/activity");
          answer(exchange, polled ? page() : "{\"heartbeat_interval_s\":1}");
        });
    server.start();
    return server;
  }

  private String page() {
    return IntStream.range(0, ROWS_A_POLL)
        .map(_ -> rows.incrementAndGet())
        .mapToObj(seq ->
            "{\"id\":\"a-%d\",\"seq\":%d,\"source\":\"canvas_user\",\"data\":{\"text\":\"%s\"}}"
                .formatted(seq, seq, TEXT))
        .collect(Collectors.joining(",", "[", "]"));
  }

  private static void answer(HttpExchange exchange, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(200, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  private static long usedMiB() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() >> 20;
  }

  /** Threads of OkHttp, of all agents of this process together. */
  private static List<String> threadsOfOkHttp() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith("OkHttp") || name.startsWith("Okio"))
        .toList();
  }
}
