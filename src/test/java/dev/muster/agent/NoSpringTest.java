package dev.muster.agent;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.muster.testing.Slow;
import org.junit.jupiter.api.Test;

/** The library stands on the JDK, OkHttp, Jackson and SLF4J alone. */
@Slow
class NoSpringTest {

  private static final JavaClasses LIBRARY =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.muster.agent", "dev.muster.protocol");

  @Test
  void needsNothingButItsLibraries() {
    assertThat(LIBRARY).hasSizeGreaterThan(50);
    noClasses()
        .that()
        .doNotHaveSimpleName("package-info")
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
        .check(LIBRARY);
  }

  @Test
  void needsPicocliForItsCommandLineAlone() {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.muster.agent.cli..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("picocli..")
        .check(LIBRARY);
  }
}
