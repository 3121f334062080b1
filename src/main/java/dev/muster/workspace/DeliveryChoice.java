package dev.muster.workspace;

import dev.muster.platform.http.NameWarnings;
import dev.muster.platform.text.RawJson;
import dev.muster.protocol.A2aVersion;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Optional;

/**
 * Says how messages reach an agent: the choice of R3.2, at a creation, a registration or a patch.
 *
 * @param isSaid whether this or an earlier request named the mode; else the mode follows the url
 * @param url "" in poll mode, and where there is none
 * @param agentProtocol the version of A2A that the card names for the url
 * @param leavesUrlUnused whether the request has a url that its mode does not use
 */
record DeliveryChoice(
    DeliveryMode mode,
    boolean isSaid,
    String url,
    Optional<A2aVersion> agentProtocol,
    boolean leavesUrlUnused) {

  /** Chooses by what a request sends, else by what is stored, else by the card. */
  static DeliveryChoice of(
      Optional<DeliveryMode> sentMode,
      Optional<String> sentUrl,
      Optional<Workspace> stored,
      Optional<RawJson> card) {
    Optional<DeliveryMode> said =
        sentMode.or(() -> stored.filter(Workspace::modeSaid).map(Workspace::deliveryMode));
    String url =
        sentUrl
            .or(() -> stored.map(Workspace::url).filter(known -> !known.isEmpty()))
            .or(() ->
                card.flatMap(known -> AgentCard.of(known).endpoint()).map(AgentCard.Endpoint::url))
            .orElse("");
    DeliveryMode mode =
        said.orElse(DeliveryMode.isUsable(url) ? DeliveryMode.PUSH : DeliveryMode.POLL);
    return of(
        mode,
        said.isPresent(),
        mode == DeliveryMode.POLL ? "" : url,
        card,
        mode == DeliveryMode.POLL && sentUrl.filter(DeliveryMode::isUsable).isPresent());
  }

  /** Keeps what is stored; the card may be another one. */
  static DeliveryChoice kept(Workspace stored, Optional<RawJson> card) {
    return of(stored.deliveryMode(), stored.modeSaid(), stored.url(), card, false);
  }

  /** Tells the caller of a url that is not used. */
  void warn(HttpServletResponse response) {
    if (leavesUrlUnused) {
      response.addHeader(
          NameWarnings.HEADER, "the url is not used, since delivery_mode is \"poll\"");
    }
  }

  private static DeliveryChoice of(
      DeliveryMode mode,
      boolean isSaid,
      String url,
      Optional<RawJson> card,
      boolean leavesUrlUnused) {
    return new DeliveryChoice(
        mode,
        isSaid,
        url,
        card.flatMap(known -> AgentCard.of(known).versionAt(url)),
        leavesUrlUnused);
  }
}
