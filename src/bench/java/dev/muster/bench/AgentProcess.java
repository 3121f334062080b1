package dev.muster.bench;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** The {@link EchoingAgent} in a process of its own. */
final class AgentProcess implements AutoCloseable {

  private final HttpClient http = HttpClient.newHttpClient();
  private final Process process;
  private final int port;

  private AgentProcess(Process process, int port) {
    this.process = process;
    this.port = port;
  }

  static AgentProcess start() throws IOException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-classpath",
                System.getProperty("java.class.path"),
                EchoingAgent.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String port = process.inputReader(StandardCharsets.US_ASCII).readLine();
    if (port == null) {
      throw new IllegalStateException("the agent did not start");
    }
    return new AgentProcess(process, Integer.parseInt(port));
  }

  String baseUrl() {
    return "http://127.0.0.1:" + port;
  }

  int waiting() {
    return Integer.parseInt(get(EchoingAgent.WAITING));
  }

  int answered() {
    return Integer.parseInt(get(EchoingAgent.ANSWERED));
  }

  void release() {
    get(EchoingAgent.RELEASE);
  }

  private String get(String path) {
    HttpRequest request = HttpRequest.newBuilder(URI.create(baseUrl() + path)).build();
    return http.sendAsync(request, HttpResponse.BodyHandlers.ofString()).join().body();
  }

  @Override
  public void close() {
    http.close();
    process.destroy();
    process.onExit().join();
  }
}
