package dev.muster.bench;

import dev.muster.MusterApplication;
import dev.muster.identity.Caller;
import org.springframework.boot.SpringApplication;
import org.springframework.context.annotation.Profile;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;

/**
 * The server with one more route: a plain annotated JSON echo behind the same filters and
 * credentials.
 */
public final class BenchServer {

  private static final String ONLY_HERE = "bench";

  /** Only here: servers of tests, which find the class as well, run without the route. */
  @RestController
  @Profile(ONLY_HERE)
  static class EchoController {

    @PostMapping("/bench/echo")
    JsonNode echo(Caller caller, @RequestBody JsonNode body) {
      return body;
    }
  }

  private BenchServer() {}

  public static void main(String[] args) {
    SpringApplication server = new SpringApplication(MusterApplication.class);
    server.setAdditionalProfiles(ONLY_HERE);
    server.run(args);
  }
}
