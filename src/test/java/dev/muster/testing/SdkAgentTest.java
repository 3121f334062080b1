package dev.muster.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.SdkAgent.Sdk;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

/** The stand-ins answer the probes as the SDKs do; {@code src/test/sdks/run} asks the SDKs. */
class SdkAgentTest {

  private static final HttpClient HTTP = HttpClient.newHttpClient();

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "PLAIN")
  void answersEachProbeAsTheSdkDoes(Sdk sdk) throws Exception {
    Map<String, String> expected = new LinkedHashMap<>();
    Map<String, String> answers = new LinkedHashMap<>();
    SdkAgent agent = new SdkAgent(sdk);
    try (TestPeer peer = TestPeer.start().usually(agent)) {
      for (JsonNode probe : SdkAgent.PROBES.path("probes")) {
        String name = probe.path("name").asString();
        expected.put(name, probe.path("expected").path(sdk.probed()).asString());
        answers.put(name, ask(peer.url(), probe));
      }
    }
    assertThat(answers).isEqualTo(expected).hasSizeGreaterThan(20);
    assertThat(agent.taken()).hasSameSizeAs(taken(expected));
  }

  @Test
  void theDocumentationNamesTheVersionsThatAreTried() throws IOException {
    List<String> pinned =
        Pattern.compile("'([@\\w/-]+)(?:\\[[\\w-]+\\])?(?:==|@)(\\d[\\d.]+)'")
            .matcher(Files.readString(Path.of("src/test/sdks/run")))
            .results()
            .map(version -> version.group(1) + " " + version.group(2))
            .filter(version -> version.matches(".*(a2a|adk).*"))
            .toList();
    assertThat(pinned).hasSize(4);
    assertThat(Files.readString(Path.of("docs/agents/http-push.md"))).contains(pinned);
  }

  private static List<String> taken(Map<String, String> expected) {
    List<String> taken = new ArrayList<>(expected.values());
    taken.removeIf(answer -> answer.contains("error"));
    return taken;
  }

  private static String ask(String url, JsonNode probe) throws Exception {
    JsonNode sent = probe.path("request");
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(url))
            .header("Content-Type", "application/json")
            .POST(
                HttpRequest.BodyPublishers.ofString(
                    sent.isString() ? sent.asString() : sent.toString()));
    probe
        .path("headers")
        .properties()
        .forEach(h -> request.header(h.getKey(), h.getValue().asString()));
    HttpResponse<String> answer = HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
    return JsonRpcText.of(
        answer.statusCode(),
        answer.headers().firstValue("Content-Type").orElse(""),
        answer.body(),
        sent.path("id"));
  }
}
