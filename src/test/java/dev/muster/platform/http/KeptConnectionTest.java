package dev.muster.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The server keeps idle connections between heartbeats, and says when it closes one. */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class KeptConnectionTest {

  private static final TestServer SERVER = TestServer.shared();
  private static final TestClient CLIENT = SERVER.client();

  /**
   * A client that was not told sends its next request on a closed connection, and gets no answer.
   */
  @ParameterizedTest
  @ValueSource(strings = {"/%zz", "/workspaces/%00", "/a/%2e%2e/b", "/%ff%fe", "/workspaces/x"})
  void endOnlyWithAnAnswerThatSaysSo(String path) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), SERVER.port())) {
      OutputStream requests = socket.getOutputStream();
      String get = "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n%s\r\n";
      requests.write(get.formatted(path, "").getBytes(StandardCharsets.US_ASCII));
      requests.write(
          get.formatted("/health", "Connection: close\r\n").getBytes(StandardCharsets.US_ASCII));
      String answers =
          new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);

      String first = answers.substring(0, answers.indexOf("\r\n\r\n"));
      boolean goesOn = answers.lastIndexOf("HTTP/1.1 ") > 0;
      assertThat(first).startsWith("HTTP/1.1 4");
      assertThat(first.contains("Connection: close")).as(answers).isNotEqualTo(goesOn);
    }
  }

  @Slow
  @Test
  void lastFromOneHeartbeatToTheNext() throws IOException {
    Agent agent = CLIENT.create("Regular");
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), SERVER.port());
        BufferedReader answers =
            new BufferedReader(
                new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))) {
      assertThat(heartbeat(socket, answers, agent)).isEqualTo("HTTP/1.1 200 OK");

      // longer than the cadence, also of a late heartbeat
      for (int waited = 0; waited < 36; waited += 18) {
        Answer poll = CLIENT.get("/workspaces/" + agent.id() + "/activity?wait=18", agent.token());
        assertThat(poll.text()).isEqualTo("[]");
      }

      assertThat(heartbeat(socket, answers, agent)).isEqualTo("HTTP/1.1 200 OK");
    }
  }

  /** Sends a heartbeat over the connection, and returns the first line of its answer. */
  private static String heartbeat(Socket socket, BufferedReader answers, Agent agent)
      throws IOException {
    String body = "{\"workspace_id\":\"" + agent.id() + "\"}";
    socket
        .getOutputStream()
        .write(
            """
            POST /registry/heartbeat HTTP/1.1
            Host: 127.0.0.1
            Authorization: Bearer %s
            Content-Type: application/json
            Content-Length: %d

            %s\
            """
                .formatted(agent.token(), body.length(), body)
                .replace("\n", "\r\n")
                .getBytes(StandardCharsets.US_ASCII));
    String status = answers.readLine();
    assertThat(status).as("the server hung up").isNotNull();
    int length = 0;
    for (String line = answers.readLine(); !line.isEmpty(); line = answers.readLine()) {
      if (line.regionMatches(true, 0, "Content-Length: ", 0, 16)) {
        length = Integer.parseInt(line.substring(16));
      }
    }
    answers.skip(length);
    return status;
  }
}
