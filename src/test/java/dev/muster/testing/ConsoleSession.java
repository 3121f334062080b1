package dev.muster.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestClient.Answer;

/** Both halves of a console session, and how a page of the server sends them. */
public record ConsoleSession(String cookie, String pageKey) {

  /** Signs in with a token. */
  public static ConsoleSession signIn(TestClient client, String token) {
    return of(client.post("/console/session", null, "{\"token\":\"" + token + "\"}"));
  }

  /** Takes the session out of the answer to a sign-in. */
  public static ConsoleSession of(Answer signedIn) {
    assertThat(signedIn.status()).as(signedIn.text()).isEqualTo(201);
    String cookie = signedIn.header("Set-Cookie");
    return new ConsoleSession(cookie.substring(0, cookie.indexOf(';')), signedIn.field("page_key"));
  }

  /** Alternating names and values, as {@link TestClient} takes them. */
  public String[] headers() {
    return new String[] {"Cookie", cookie, "X-Muster-Page", pageKey};
  }

  /** The subprotocols that the page's WebSocket offers. */
  public String socketOffer() {
    return "muster-ws, muster-page." + pageKey;
  }
}
