package dev.muster.workspace.agenturl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import okhttp3.HttpUrl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which agent urls may be stored (R3.3). */
class AgentUrlGuardTest {
  private static final Pattern ESCAPE = Pattern.compile("\\\\u([0-9a-f]{4})");

  private final AgentUrlGuard strict = new AgentUrlGuard(Set.of(), new TestNames());

  record Hostile(String label, String url) {}

  static List<Hostile> hostileUrls() {
    try (InputStream in = AgentUrlGuardTest.class.getResourceAsStream("hostile-urls.txt")) {
      String text =
          new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.US_ASCII);
      return text.lines()
          .filter(line -> !line.isEmpty() && !line.startsWith("#"))
          .map(line -> line.split(" ", 2))
          .map(cells -> new Hostile(cells[0], unescaped(cells[1])))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String unescaped(String text) {
    return ESCAPE
        .matcher(text)
        .replaceAll(hit -> Character.toString(Integer.parseInt(hit.group(1), 16)));
  }

  @ParameterizedTest
  @MethodSource("hostileUrls")
  void refusesWithTheLabel(Hostile hostile) {
    assertThat(strict.check(hostile.url()))
        .isInstanceOfSatisfying(
            AgentUrlGuard.Decision.Refused.class,
            refused -> {
              assertThat(refused.label()).isEqualTo(hostile.label());
              assertThat(refused.reason()).isNotBlank().doesNotContain("127", "169.254", "10.0");
            });
  }

  /** No setting allows a malformed url. */
  @ParameterizedTest
  @MethodSource("hostileUrls")
  void relaxesOnlyTheRelaxableClasses(Hostile hostile) {
    Set<String> relaxed = Set.of("loopback", "private", "cgnat");
    AgentUrlGuard lenient =
        new AgentUrlGuard(
            AddressClass.parseAllowed(List.of("loopback", "private", "cgnat")), new TestNames());
    assertThat(lenient.check(hostile.url()) instanceof AgentUrlGuard.Decision.Allowed)
        .isEqualTo(relaxed.contains(hostile.label()));
  }

  @Test
  void coversMoreThanThreeHundredForbiddenUrls() {
    assertThat(hostileUrls()).hasSizeGreaterThan(300).doesNotHaveDuplicates();
  }

  static Stream<String> goodUrls() {
    return Stream.of(
        "http://agent.example",
        "http://agent.example/",
        "https://agent.example/a2a",
        "HTTPS://Agent.Example/a2a",
        "http://agent.example:8080/a2a?v=1&x=@:",
        "http://agent.example:1",
        "http://agent.example:65535/",
        "http://agent.example/a/../b/%20/%C3%BC;p=1?q=%23",
        "http://agent.example./",
        "http://agent-1.team-a.svc.cluster.local:9000/",
        "http://my_agent:8080/",
        "http://agent",
        "http://1password.example/",
        "http://127.0.0.1.agent.example/",
        "http://0x7f.agent.example/",
        "http://cafe.beef/",
        "http://dead-beef/",
        "http://xn--mnchen-3ya.example/",
        "http://a0x7f/",
        "http://dual.test/",
        "http://93.184.215.14/",
        "https://93.184.215.14:8443/a2a",
        "http://8.8.8.8",
        "http://1.0.0.0/",
        "http://223.255.255.255/",
        "http://[2606:4700::1111]/",
        "http://[2606:4700::1111]:8080/",
        "http://[2606:4700:0:0:0:0:0:1111]/",
        "http://[::ffff:8.8.8.8]/",
        "http://[64:ff9b::8.8.8.8]/");
  }

  @ParameterizedTest
  @MethodSource("goodUrls")
  void allowsRoutableAddresses(String url) {
    assertThat(strict.check(url)).isEqualTo(new AgentUrlGuard.Decision.Allowed(URI.create(url)));
  }

  /** If the client read another host than the guard, the guard's decision would be useless. */
  @ParameterizedTest
  @MethodSource("goodUrls")
  void readsTheSameHostAsTheClient(String url) {
    HttpUrl seen = HttpUrl.get(url);
    assertThat(AgentUrl.parse(url))
        .isInstanceOfSatisfying(
            AgentUrl.Parsed.Valid.class,
            valid -> {
              switch (valid.url().host()) {
                case AgentUrl.Host.Name(String name) ->
                    assertThat(seen.host()).isEqualToIgnoringCase(name);
                case AgentUrl.Host.Literal(var address) ->
                    assertThat(InetAddress.ofLiteral(seen.host())).isEqualTo(address);
              }
            });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://127.0.0.1:8080/",
        "http://localhost:8080/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://[64:ff9b::127.0.0.1]/"
      })
  void relaxesAClassInsideMappedFormsToo(String url) {
    AgentUrlGuard guard = new AgentUrlGuard(Set.of(AddressClass.LOOPBACK), new TestNames());
    assertThat(guard.check(url)).isInstanceOf(AgentUrlGuard.Decision.Allowed.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://10.0.0.1/", "http://100.64.0.1/", "http://0.0.0.0/"})
  void relaxesOneClassWithoutAnother(String url) {
    AgentUrlGuard guard = new AgentUrlGuard(Set.of(AddressClass.LOOPBACK), new TestNames());
    assertThat(guard.check(url)).isInstanceOf(AgentUrlGuard.Decision.Refused.class);
  }

  @Test
  void refusesAUrlOf2049CharactersAndAcceptsOneOf2048() {
    String start = "http://agent.example/";
    String longest = start + "a".repeat(2048 - start.length());
    assertThat(strict.check(longest)).isInstanceOf(AgentUrlGuard.Decision.Allowed.class);
    assertThat(strict.check(longest + "a")).isEqualTo(AgentUrl.Fault.TOO_LONG.refused());
  }

  @Test
  void refusesLabelsAndNamesThatAreTooLongForDns() {
    String label = "a".repeat(63);
    assertThat(strict.check("http://" + label + ".example/"))
        .isInstanceOf(AgentUrlGuard.Decision.Allowed.class);
    assertThat(strict.check("http://a" + label + ".example/"))
        .isEqualTo(AgentUrl.Fault.AMBIGUOUS_HOST.refused());
    assertThat(strict.check("http://" + "a.".repeat(1000) + "example/"))
        .isEqualTo(AgentUrl.Fault.AMBIGUOUS_HOST.refused());
  }

  @Test
  void namesASettingOnlyWhenOneWouldHelp() {
    assertThat(strict.check("http://10.0.0.1/"))
        .hasToString(
            "Refused[label=private, reason=the host leads to an address of the class private"
                + " that AGENT_URL_ALLOW does not permit]");
    assertThat(strict.check("http://169.254.169.254/"))
        .hasToString(
            "Refused[label=link-local, reason=the host leads to an address of the class"
                + " link-local]");
  }

  @Test
  void cannotBeBuiltToAllowFixedClasses() {
    for (AddressClass one : EnumSet.allOf(AddressClass.class)) {
      if (!one.relaxable()) {
        assertThatIllegalArgumentException()
            .isThrownBy(() -> new AgentUrlGuard(Set.of(one), new TestNames()))
            .withMessageContaining(one.label());
      }
    }
  }
}
