package dev.muster.agent;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient.Agent;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The jars of the agent library as {@code mvn verify} has built them, and that of the server beside
 * them. To run this test alone: {@code mvn package -DskipTests} and {@code mvn -f agent/pom.xml
 * package} first.
 */
@Slow
@Timeout(120)
class AgentJarTest {

  private static final String JAVA_21 = "65.0";
  private static final Path BUILT = Path.of("agent/target");

  private static final Path EXAMPLE =
      Path.of("docs/examples/consumer/src/main/java/org/example/Echo.java");

  private static final String JAVA =
      Path.of(System.getProperty("java.home"), "bin/java").toString();

  @TempDir private Path folder;

  @Test
  void containsOnlyTheClassesOfTheLibrary() throws IOException {
    List<String> classes = classes(jar(""));

    assertThat(classes)
        .contains("dev/muster/agent/AgentClient.class", "dev/muster/protocol/MessageContent.class")
        .allMatch(name -> name.matches("dev/muster/(agent|protocol)/.*"))
        .noneMatch(name -> name.startsWith("dev/muster/agent/internal/"));
    try (JarFile library = new JarFile(jar("").toFile())) {
      for (String name : classes) {
        assertThat(version(library, name)).as(name).isEqualTo(JAVA_21);
      }
      assertThat(library.getManifest().getMainAttributes().getValue("Automatic-Module-Name"))
          .isEqualTo("dev.muster.agent");
    }
  }

  @Test
  void needsNineLibrariesAndNoSpring() throws IOException {
    assertThat(libraries())
        .extracting(library -> library.getFileName().toString().replaceFirst("-\\d.*", ""))
        .containsExactlyInAnyOrder(
            "okhttp-jvm",
            "okio-jvm",
            "kotlin-stdlib",
            "annotations",
            "jackson-databind",
            "jackson-core",
            "jackson-annotations",
            "slf4j-api",
            "jspecify");
  }

  @Test
  void usesOnlyItsLibraries() throws IOException {
    JavaClasses library = new ClassFileImporter().importJar(new JarFile(jar("").toFile()));

    assertThat(library).hasSizeGreaterThan(50);
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideOutsideOfPackages(
            "java..",
            "com.sun.net.httpserver..",
            "javax.net.ssl..",
            "okhttp3..",
            "okio..",
            "kotlin..",
            "tools.jackson..",
            "org.slf4j..",
            "org.jspecify..",
            "picocli..",
            "dev.muster.agent..",
            "dev.muster.protocol..")
        .check(library);
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.muster.agent.cli..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("picocli..")
        .check(library);
    noClasses()
        .that()
        .resideInAPackage("dev.muster.protocol..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.muster.agent..")
        .check(library);
  }

  @Test
  void comesWithItsSourcesAndItsDocumentation() throws IOException {
    assertThat(entries(jar("-sources")))
        .contains("dev/muster/agent/AgentClient.java", "dev/muster/protocol/MessageContent.java")
        .noneMatch(name -> name.endsWith(".java") && !name.startsWith("dev/muster/"));
    assertThat(entries(jar("-javadoc")))
        .contains("dev/muster/agent/AgentClient.html", "dev/muster/protocol/MessageContent.html");
  }

  @Test
  void relocatesItsLibraries() throws IOException {
    List<String> entries = entries(jar("-cli"));

    assertThat(classes(jar("-cli")))
        .containsAll(classes(jar("")))
        .hasSizeGreaterThan(2_000)
        .allMatch(name -> name.matches("dev/muster/(agent|protocol)/.*"));
    assertThat(entries)
        .noneMatch(name -> name.startsWith("META-INF/versions/"))
        .filteredOn(name -> name.startsWith("META-INF/services/") && !name.endsWith("/"))
        .isNotEmpty()
        .allMatch(name -> name.startsWith("META-INF/services/dev.muster.agent.internal."));
  }

  @Test
  void printsItsVersion() throws Exception {
    Process program =
        new ProcessBuilder(JAVA, "-jar", jar("-cli").toString(), "--version")
            .redirectErrorStream(true)
            .start();

    assertThat(new String(program.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
        .matches("muster-agent \\d[^ ]*( \\(commit [0-9a-f]{7,}\\))?\\R");
    assertThat(program.waitFor()).isZero();
  }

  /** The program of {@code docs/agents/java.md}, with the library and its nine libraries only. */
  @Test
  void runsTheDocumentedProgram() throws Exception {
    String classpath =
        Stream.concat(Stream.of(jar(""), folder), libraries().stream())
            .map(entry -> entry.toAbsolutePath().toString())
            .reduce((left, right) -> left + File.pathSeparator + right)
            .orElseThrow();
    int failed =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                System.out,
                System.err,
                "--release",
                "21",
                "-Xlint:all",
                "-Werror",
                "-d",
                folder.toString(),
                "-classpath",
                classpath,
                EXAMPLE.toString());
    assertThat(failed).isZero();
    Agent agent = AgentServer.CLIENT.create("Echo");
    Path token = Files.createDirectory(folder.resolve("state")).resolve("token");
    Files.writeString(token, agent.token());
    AgentServer.sendFromCanvas(agent, "m-1", "hello");

    ProcessBuilder builder =
        new ProcessBuilder(JAVA, "-XX:TieredStopAtLevel=1", "-cp", classpath, "org.example.Echo")
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("log").toFile());
    builder.environment().put("MUSTER_URL", AgentServer.CLIENT.baseUrl());
    builder.environment().put("MUSTER_WORKSPACE_ID", agent.id().toString());
    Process program = builder.start();
    try {
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> !AgentServer.notifications(agent).isEmpty() || !program.isAlive());
      assertThat(AgentServer.notifications(agent))
          .as(Files.readString(folder.resolve("log")))
          .containsExactly("you said hello");
    } finally {
      program.destroyForcibly().onExit().join();
    }
  }

  @Test
  void isNoPartOfTheServer() throws IOException {
    assertThat(entries(only(Path.of("target"), "muster-[^-]*(-SNAPSHOT)?\\.jar")))
        .contains("BOOT-INF/classes/dev/muster/protocol/MessageContent.class")
        .noneMatch(name -> name.contains("dev/muster/agent/") || name.contains("picocli"));
  }

  private static List<Path> libraries() throws IOException {
    return Stream.of(Files.readString(BUILT.resolve("runtime-classpath")).split(File.pathSeparator))
        .map(Path::of)
        .toList();
  }

  private static Path jar(String classifier) throws IOException {
    return only(BUILT, "muster-agent-[^-]*(-SNAPSHOT)?" + classifier + "\\.jar");
  }

  private static Path only(Path built, String name) throws IOException {
    assertThat(built).as("what the build makes").isDirectory();
    try (Stream<Path> files = Files.list(built)) {
      List<Path> found = files.filter(file -> file.getFileName().toString().matches(name)).toList();
      assertThat(found).as("%s in %s", name, built).hasSize(1);
      return found.getFirst();
    }
  }

  private static List<String> entries(Path jar) throws IOException {
    try (JarFile file = new JarFile(jar.toFile())) {
      return file.stream().map(JarEntry::getName).toList();
    }
  }

  private static List<String> classes(Path jar) throws IOException {
    return entries(jar).stream().filter(name -> name.endsWith(".class")).toList();
  }

  private static String version(JarFile jar, String name) throws IOException {
    try (InputStream in = jar.getInputStream(jar.getEntry(name))) {
      byte[] head = in.readNBytes(8);
      return ((head[6] << 8) + head[7]) + "." + ((head[4] << 8) + head[5]);
    }
  }
}
