package dev.muster.workspace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.platform.text.RawJson;
import dev.muster.protocol.A2aVersion;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The address and the version of A2A that a card names (R3.2). */
class CardEndpointTest {

  private static final String OLD = "'url':'http://a/','protocolVersion':'0.3.0'";
  private static final String NEWEST =
      "{'url':'http://n/','protocolBinding':'JSONRPC','protocolVersion':'1.1'}";

  private static Stream<Arguments> cards() {
    return Stream.of(
        // no address
        card("", "- -"),
        card("'url':''", "- -"),
        card("'url':'remote:x','protocolVersion':'1.0'", "- 1.0"),
        card("'url':7,'supportedInterfaces':'x','additionalInterfaces':{}", "- -"),
        card("'supportedInterfaces':[],'additionalInterfaces':[]", "- -"),
        card("'supportedInterfaces':[1,null,[],'x',{},{'url':{}},{'url':null}]", "- -"),
        card(interfaces("{'url':'','protocolBinding':'JSONRPC','protocolVersion':'1.0'}"), "- -"),
        card(interfaces("{'url':'http://g/','protocolBinding':'GRPC'}"), "- -"),
        card(interfaces("{'url':'http://g/','transport':'HTTP+JSON'}"), "- -"),
        // A2A 0.3
        card("'url':'http://a/'", "http://a/ -"),
        card(OLD, "http://a/ 0.3"),
        card("'url':'http://a/','protocolVersion':0.3", "http://a/ 0.3"),
        card("'url':'http://a/','protocolVersion':''", "http://a/ -"),
        card("'url':'http://a/','protocolVersion':{}", "http://a/ -"),
        card(OLD + ",'preferredTransport':'JSONRPC'", "http://a/ 0.3"),
        card(OLD + ",'preferredTransport':'jsonrpc'", "http://a/ 0.3"),
        card(OLD + ",'preferredTransport':null", "http://a/ 0.3"),
        card(OLD + ",'preferredTransport':'GRPC'", "- 0.3"),
        card(OLD + "," + additional("GRPC http://g/", "JSONRPC http://b/"), "http://a/ 0.3"),
        card(
            OLD
                + ",'preferredTransport':'GRPC',"
                + additional("GRPC http://a/", "JSONRPC http://b/", "JSONRPC http://c/"),
            "http://b/ 0.3"),
        card(additional("JSONRPC http://b/"), "http://b/ -"),
        // A2A 1.0
        card(interfaces(one("http://n/", "1.0")), "http://n/ 1.0"),
        card(interfaces(one("http://n/", "1.0.0")), "http://n/ 1.0"),
        card(interfaces("{'url':'http://n/','protocolVersion':1.0}"), "http://n/ 1.0"),
        card(interfaces("{'url':'http://n/','transport':'JSONRPC'}"), "http://n/ -"),
        card(
            "'protocolVersion':'1.0'," + interfaces("{'url':'http://n/','transport':'JSONRPC'}"),
            "http://n/ 1.0"),
        card(interfaces(one("http://o/", "0.3"), NEWEST, one("http://m/", "1.0")), "http://n/ 1.0"),
        card(interfaces(one("http://m/", "1.0"), one("http://o/", "1.0")), "http://m/ 1.0"),
        card(interfaces(one("http://o/", "0.2.6"), one("http://p/", "0.3.0")), "http://p/ 0.3"),
        card(interfaces(one("http://o/", "1.9"), one("http://p/", "1.10")), "http://p/ 1.0"),
        card(interfaces(one("http://o/", "0.3"), one("http://p/", "2.0")), "http://o/ 0.3"),
        card(interfaces(one("http://p/", "10.0"), one("http://o/", "1.0")), "http://o/ 1.0"),
        card(interfaces(one("http://p/", "2.0")), "http://p/ 0.3"),
        card(interfaces(one("http://p/", "99999999999.0")), "http://p/ 0.3"),
        card(interfaces(one("remote:x", "1.1"), one("http://o/", "0.3")), "http://o/ 0.3"),
        card(
            interfaces("{'url':'http://g/','protocolBinding':'GRPC','protocolVersion':'1.0'}")
                + ","
                + additional("JSONRPC http://b/"),
            "http://b/ -"),
        // both
        card(OLD + "," + interfaces(one("http://a/", "1.0")), "http://a/ 1.0"),
        card(
            OLD + "," + interfaces(one("http://a/", "0.3"), one("http://a/", "1.0")),
            "http://a/ 1.0"),
        card(OLD + "," + interfaces(NEWEST), "http://a/ 0.3"),
        card(OLD + ",'preferredTransport':'GRPC'," + interfaces(NEWEST), "http://n/ 1.0"));
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("cards")
  void areThoseOfOneInterface(String card, String expected) {
    AgentCard read = read(card);
    Optional<String> url = read.endpoint().map(AgentCard.Endpoint::url);

    assertThat(url.orElse("-") + " " + version(read.versionAt(url.orElse("")))).isEqualTo(expected);
  }

  @ParameterizedTest(name = "at {0}: {1}")
  @CsvSource({
    "http://n/, 1.0",
    "http://o/, 0.3",
    "http://a/, 0.3",
    "http://b/, 0.3",
    // of the interface of the newest version, where the card does not have the url
    "http://elsewhere/, 1.0",
    "http://g/, 1.0"
  })
  void isTheVersionOfTheInterfaceWithTheUrl(String url, String version) {
    AgentCard card =
        read(
            "{"
                + OLD
                + ","
                + additional("JSONRPC http://b/", "GRPC http://g/")
                + ","
                + interfaces(one("http://o/", "0.3"), one("http://n/", "1.0"))
                + "}");

    assertThat(version(card.versionAt(url))).isEqualTo(version);
  }

  private static Arguments card(String members, String expected) {
    return Arguments.of("{" + members + "}", expected);
  }

  private static String interfaces(String... interfaces) {
    return "'supportedInterfaces':[" + String.join(",", interfaces) + "]";
  }

  private static String one(String url, String version) {
    return "{'url':'%s','protocolBinding':'JSONRPC','protocolVersion':'%s'}"
        .formatted(url, version);
  }

  private static String additional(String... interfaces) {
    return List.of(interfaces).stream()
        .map(one -> one.split(" ", 2))
        .map(one -> "{'transport':'%s','url':'%s'}".formatted(one[0], one[1]))
        .collect(Collectors.joining(",", "'additionalInterfaces':[", "]"));
  }

  private static AgentCard read(String card) {
    return AgentCard.of(new RawJson(card.replace('\'', '"')));
  }

  private static String version(Optional<A2aVersion> version) {
    return version.map(A2aVersion::wire).orElse("-");
  }
}
