package dev.muster.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;

/** A {@link TestPeer} in a process of its own, to be killed. */
public final class PeerProcess implements AutoCloseable {

  /** The behaviour for every request. */
  public enum Manner {
    ECHO(PeerBehavior.echo()),
    SILENCE(PeerBehavior.silence()),
    /** Answers one byte each second. */
    DRIP(PeerBehavior.drip(Duration.ofSeconds(1)));

    @SuppressWarnings("ImmutableEnumChecker") // functions without state
    private final PeerBehavior behavior;

    Manner(PeerBehavior behavior) {
      this.behavior = behavior;
    }
  }

  private final Process process;
  private final String url;

  private PeerProcess(Process process, String url) {
    this.process = process;
    this.url = url;
  }

  /** Returns when it listens; port 0 for any. */
  public static PeerProcess start(int port, Manner manner) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:TieredStopAtLevel=1",
                    "-XX:+UseSerialGC",
                    "-classpath",
                    System.getProperty("java.class.path"),
                    PeerProcess.class.getName(),
                    Integer.toString(port),
                    manner.name()))
            .redirectError(ProcessBuilder.Redirect.INHERIT);
    Process process = EndWithJvm.process(builder.start());
    BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
    String url = out.readLine();
    if (url == null) {
      throw new IOException("the peer ended before it listened");
    }
    return new PeerProcess(process, url);
  }

  public String url() {
    return url;
  }

  /** SIGKILL: the process cannot react; the kernel closes its sockets. */
  public void kill() {
    process.destroyForcibly().onExit().join();
  }

  @Override
  public void close() {
    kill();
  }

  /** {@code <port> <manner>}: prints the url and serves until killed. */
  public static void main(String[] args) throws IOException, InterruptedException {
    Manner manner = Manner.valueOf(args[1].toUpperCase(Locale.ROOT));
    try (TestPeer peer = TestPeer.startOn(Integer.parseInt(args[0])).usually(manner.behavior)) {
      System.out.println(peer.url());
      new CountDownLatch(1).await();
    }
  }
}
