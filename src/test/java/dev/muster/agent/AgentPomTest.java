package dev.muster.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

/**
 * The POM of the agent library has no parent, so it repeats versions. They must equal those of the
 * server's build and of the tests.
 */
class AgentPomTest {

  private final Document server = read("pom.xml");
  private final Document agent = read("agent/pom.xml");

  AgentPomTest() throws Exception {}

  @Test
  void hasTheVersionOfTheServer() throws Exception {
    assertThat(text(agent, "/project/version")).isEqualTo(text(server, "/project/version"));
    assertThat(text(read("docs/examples/consumer/pom.xml"), "//dependency/version"))
        .isEqualTo(text(server, "/project/version"));
  }

  @Test
  void agreesWithTheServerOnWhatBothSet() throws Exception {
    Map<String, String> here = properties(agent);
    Map<String, String> there = properties(server);
    here.keySet().retainAll(there.keySet());

    assertThat(here)
        .containsKeys("okhttp.version", "picocli.version", "spring-modulith.version", "jdk.range");
    assertThat(there).containsAllEntriesOf(here);
  }

  @Test
  void usesTheLibrariesThatTheTestsUse() throws Exception {
    Map<String, String> properties = properties(agent);
    List<String> jars =
        elements(agent, "/project/dependencies/dependency")
            .map(dependency -> jar(dependency, properties))
            .toList();
    List<String> ofTests =
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
            .map(entry -> Path.of(entry).getFileName().toString())
            .toList();

    assertThat(jars)
        .extracting(jar -> jar.replaceFirst("-\\d.*", ""))
        .containsExactlyInAnyOrder(
            "okhttp-jvm", "jackson-databind", "slf4j-api", "jspecify", "picocli");
    assertThat(ofTests).containsAll(jars);
  }

  private static String jar(Node dependency, Map<String, String> properties) {
    Map<String, String> fields = new HashMap<>();
    children(dependency).forEach(child -> fields.put(child.getNodeName(), child.getTextContent()));
    String version = Objects.requireNonNull(fields.get("version")).replaceAll("[${}]", "");
    return fields.get("artifactId") + "-" + properties.getOrDefault(version, version) + ".jar";
  }

  private static Map<String, String> properties(Document pom) throws Exception {
    Map<String, String> properties = new HashMap<>();
    elements(pom, "/project/properties/*")
        .forEach(property -> properties.put(property.getNodeName(), property.getTextContent()));
    return properties;
  }

  private static Document read(String pom) throws Exception {
    return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new File(pom));
  }

  private static String text(Document pom, String path) throws Exception {
    return XPathFactory.newInstance().newXPath().evaluate(path, pom);
  }

  private static Stream<Node> elements(Document pom, String path) throws Exception {
    return stream(
        (NodeList)
            XPathFactory.newInstance().newXPath().evaluate(path, pom, XPathConstants.NODESET));
  }

  private static Stream<Node> children(Node node) {
    return stream(node.getChildNodes());
  }

  private static Stream<Node> stream(NodeList nodes) {
    return IntStream.range(0, nodes.getLength()).mapToObj(nodes::item);
  }
}
