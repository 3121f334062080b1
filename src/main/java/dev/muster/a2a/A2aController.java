package dev.muster.a2a;

import dev.muster.identity.Caller;
import dev.muster.platform.http.BodyReader;
import dev.muster.platform.json.LosslessJson;
import dev.muster.platform.json.RawJson;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.UUID;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Where requests for agents come in (R7.1). */
@RestController
class A2aController {

  private static final int LARGEST_BODY = 16 * 1024 * BodyReader.KIB;

  private final Proxy proxy;
  private final BodyReader bodies;

  A2aController(Proxy proxy, BodyReader bodies) {
    this.proxy = proxy;
    this.bodies = bodies;
  }

  /** The body is read by hand: who sends comes first (R1.4's order). */
  @PostMapping("/workspaces/{id}/a2a")
  RawJson send(Caller caller, @PathVariable UUID id, HttpServletRequest request)
      throws IOException {
    Sender sender = Sender.of(caller, request);
    NormalRequest normal =
        NormalRequest.of(
            LosslessJson.parse(bodies.read(request, LARGEST_BODY)), sender, UUID::randomUUID);
    return proxy.deliver(caller, sender, id, normal).answer();
  }
}
