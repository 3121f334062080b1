package dev.muster.workspace;

import dev.muster.platform.text.JsonBody;
import dev.muster.platform.text.RawJson;
import dev.muster.platform.text.Text;
import dev.muster.protocol.A2aVersion;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/**
 * Reads from an agent's card, of A2A 0.3 or 1.0, what the server needs (R3.2). A member of a wrong
 * type counts as absent.
 */
public final class AgentCard {

  private static final String JSON_RPC = "JSONRPC";
  private static final Pattern VERSION = Pattern.compile("(\\d{1,3})(?:\\.(\\d{1,3}))?(?!\\d).*");

  private final JsonBody card;

  private AgentCard(JsonBody card) {
    this.card = card;
  }

  static AgentCard of(RawJson card) {
    return new AgentCard(JsonBody.parse(card.text().getBytes(StandardCharsets.UTF_8)));
  }

  /**
   * An address that takes JSON-RPC.
   *
   * @param member where it is in the card, for example {@code supportedInterfaces[0].url}
   * @param protocolVersion as the card names it
   */
  record Endpoint(String member, String url, Optional<String> protocolVersion) {

    /** Orders by the version to use: 1.x, 0.x, none named, later ones. */
    private int rank() {
      Matcher version = VERSION.matcher(protocolVersion.orElse(""));
      if (!version.matches()) {
        return 1;
      }
      int minor = version.group(2) == null ? 0 : Integer.parseInt(version.group(2));
      return switch (Integer.parseInt(version.group(1))) {
        case 0 -> 1000 + minor;
        case 1 -> 2000 + minor;
        default -> 0;
      };
    }
  }

  /** Whether an interface of a card, of A2A 0.3 or 1.0, takes JSON-RPC, the default. */
  public static boolean isJsonRpc(JsonNode oneInterface) {
    JsonNode binding = oneInterface.path("protocolBinding");
    return isJsonRpcBinding(binding.isString() ? binding : oneInterface.path("transport"));
  }

  private static boolean isJsonRpcBinding(JsonNode word) {
    return !word.isString() || word.stringValue().strip().equalsIgnoreCase(JSON_RPC);
  }

  /** Returns the agent's name, if there is a usable one. */
  Optional<String> name() {
    return text(member("name"), WorkspaceName.MAX_LENGTH).flatMap(WorkspaceName::made);
  }

  /**
   * Returns the address to call where no other is given: the card's {@code url}, else the interface
   * of the newest version, else the first additional interface.
   */
  Optional<Endpoint> endpoint() {
    return Stream.of(main(), supported(), additional()).flatMap(List::stream).findFirst();
  }

  /** Returns the version of A2A that the agent speaks at {@code url}, as far as the card says. */
  Optional<A2aVersion> versionAt(String url) {
    return Stream.of(supported(), main(), additional())
        .flatMap(List::stream)
        .filter(endpoint -> endpoint.url().equals(url))
        .findFirst()
        .or(() -> supported().stream().findFirst())
        .map(Endpoint::protocolVersion)
        .orElseGet(this::protocolVersion)
        .map(A2aVersion::of);
  }

  /** Returns the address of A2A 0.3, unless it is one of another transport. */
  private List<Endpoint> main() {
    return isJsonRpcBinding(member("preferredTransport"))
        ? usable(member("url")).stream()
            .map(url -> new Endpoint("url", url, protocolVersion()))
            .toList()
        : List.of();
  }

  /** Returns the interfaces of A2A 1.0, the newest version first. */
  private List<Endpoint> supported() {
    return interfaces("supportedInterfaces").stream()
        .sorted(Comparator.comparingInt(Endpoint::rank).reversed())
        .toList();
  }

  private List<Endpoint> additional() {
    return interfaces("additionalInterfaces");
  }

  private List<Endpoint> interfaces(String name) {
    List<Endpoint> endpoints = new ArrayList<>();
    JsonNode interfaces = member(name);
    for (int i = 0; interfaces.isArray() && i < interfaces.size(); i++) {
      JsonNode one = interfaces.path(i);
      String place = name + "[" + i + "].url";
      if (isJsonRpc(one)) {
        usable(one.path("url"))
            .map(url ->
                new Endpoint(
                    place, url, version(one.path("protocolVersion")).or(this::protocolVersion)))
            .ifPresent(endpoints::add);
      }
    }
    return endpoints;
  }

  private Optional<String> protocolVersion() {
    return version(member("protocolVersion"));
  }

  private JsonNode member(String name) {
    return card.tree(name).orElse(MissingNode.getInstance());
  }

  private static Optional<String> usable(JsonNode url) {
    return text(url, AgentUrls.MAX_LENGTH).filter(DeliveryMode::isUsable);
  }

  private static Optional<String> version(JsonNode version) {
    return version.isString() || version.isNumber()
        ? Optional.of(version.asString().strip()).filter(word -> !word.isEmpty())
        : Optional.empty();
  }

  private static Optional<String> text(JsonNode text, int maxCodePoints) {
    return text.isString()
        ? Optional.of(Text.cut(Text.clean(text.stringValue()), maxCodePoints))
        : Optional.empty();
  }
}
