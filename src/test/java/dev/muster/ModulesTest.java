package dev.muster;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaParameterizedType;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import dev.muster.event.Events;
import dev.muster.testing.ServerClasses;
import java.io.IOException;
import java.lang.reflect.Method;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.modulith.core.ApplicationModules;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Modules use only their declared dependencies, and only each other's public interfaces. */
@Execution(ExecutionMode.CONCURRENT)
class ModulesTest {

  private static final ApplicationModules MODULES = ApplicationModules.of(MusterApplication.class);

  private static final Pattern CLOCK =
      Pattern.compile(
          "java\\.time\\.(?!ZoneId)\\w+\\.(now|system\\w*|tick\\w*)|java\\.lang\\.System\\.currentTimeMillis"
              + "|java\\.util\\.Date\\.<init>|java\\.lang\\.Thread\\.sleep"
              + "|java\\.util\\.concurrent\\.TimeUnit\\.sleep");

  private static final Pattern REFLECTION =
      Pattern.compile(
          "java\\.lang\\.reflect\\..*|org\\.springframework\\.util\\.ReflectionUtils\\..*"
              + "|java\\.lang\\.Class\\.(forName|getDeclared\\w+|getFields?|getMethods?|getConstructors?)");

  /**
   * Replicas have different clocks, so decisions use the database's. {@code protocol} must not use
   * {@code platform}, and sleeps in one place only.
   */
  static final ArchRule ONE_CLOCK =
      noClasses()
          .that(
              describe(
                  "are not the clock",
                  type -> !Set.of("WallClock", "Sleeper").contains(type.getSimpleName())))
          .should()
          .accessTargetWhere(
              describe("a clock", access -> CLOCK.matcher(target(access)).matches()));

  /** A search for usages does not find what reflection uses. */
  static final ArchRule NO_REFLECTION =
      noClasses()
          .should()
          .accessTargetWhere(
              describe("reflection", access -> REFLECTION.matcher(target(access)).matches()));

  /** Other callers could forget that work after a commit must not fail. */
  static final ArchRule AFTER_COMMIT =
      noClasses()
          .that(
              describe("are not AfterCommit", type -> !type.getSimpleName().equals("AfterCommit")))
          .should()
          .dependOnClassesThat(
              describe(
                  "hold transactions",
                  type -> type.isEquivalentTo(TransactionSynchronizationManager.class)));

  /** A late look-up of a bean hides a cycle. It is allowed for optional classes. */
  static final ArchRule NO_PROVIDERS =
      classes()
          .should(
              new ArchCondition<JavaClass>("be given the interfaces of others at once") {
                @Override
                public void check(JavaClass type, ConditionEvents events) {
                  Stream.concat(
                          type.getFields().stream().map(JavaField::getType),
                          type.getCodeUnits().stream()
                              .map(JavaCodeUnit::getParameterTypes)
                              .flatMap(List::stream))
                      .filter(ModulesTest::isProviderOfAnInterface)
                      .forEach(provider ->
                          events.add(
                              SimpleConditionEvent.violated(
                                  type, type.getName() + " uses " + provider.getName())));
                }
              });

  static final List<ArchRule> RULES = List.of(ONE_CLOCK, NO_REFLECTION, AFTER_COMMIT, NO_PROVIDERS);

  @Test
  void keepToTheirWrittenDependencies() {
    MODULES.verify();
  }

  @Test
  void mayUseWhatTheDocumentationSays() throws IOException {
    Map<String, Set<String>> documented = new TreeMap<>();
    for (List<String> row : TableOwnershipTest.rowsOf("Modules")) {
      documented.put(
          TableOwnershipTest.codesOf(row.getFirst()).getFirst(),
          new HashSet<>(TableOwnershipTest.codesOf(row.get(2))));
    }
    documented.remove("agent"); // not part of the server
    Map<String, Set<String>> written = new TreeMap<>();
    MODULES.forEach(module ->
        written.put(
            module.getIdentifier().toString(),
            TableOwnershipTest.allowedDependencies(module.getIdentifier().toString()).stream()
                .map(allowed -> allowed.replaceFirst(" ::.*", ""))
                .collect(Collectors.toSet())));

    assertThat(documented).isEqualTo(written);
  }

  /** Packages inside a module may not use each other in a circle. */
  @Test
  void usesInsideOfMessagesWhatTheDocumentationSays() throws IOException {
    Map<String, Set<String>> allowed = new TreeMap<>();
    for (List<String> row : TableOwnershipTest.rowsOf("Packages of `message`")) {
      allowed.put(
          TableOwnershipTest.codesOf(row.getFirst()).getFirst(),
          new TreeSet<>(TableOwnershipTest.codesOf(row.get(2))));
    }

    assertThat(usesInside("dev.muster.message.")).isEqualTo(allowed);
    noClasses()
        .that()
        .resideInAPackage("dev.muster.message.*")
        .should()
        .dependOnClassesThat(
            describe(
                "call the packages inside for other modules",
                type ->
                    type.getPackageName().equals("dev.muster.message")
                        && type.isAnnotatedWith(Service.class)))
        .check(ServerClasses.ALL);
  }

  /** Returns which packages below {@code root} each of them uses. */
  private static Map<String, Set<String>> usesInside(String root) {
    Map<String, Set<String>> uses = new TreeMap<>();
    for (JavaClass type : ServerClasses.ALL) {
      if (type.getPackageName().startsWith(root)) {
        String own = type.getPackageName().substring(root.length());
        Set<String> used = uses.computeIfAbsent(own, _ -> new TreeSet<>());
        type.getDirectDependenciesFromSelf().stream()
            .map(dependency -> dependency.getTargetClass().getPackageName())
            .filter(target -> target.startsWith(root))
            .map(target -> target.substring(root.length()))
            .filter(target -> !target.equals(own))
            .forEach(used::add);
      }
    }
    return uses;
  }

  @ParameterizedTest
  @FieldSource("RULES")
  void keepTo(ArchRule rule) {
    rule.check(ServerClasses.ALL);
  }

  @ParameterizedTest
  @FieldSource("RULES")
  void findsEachPlantedFault(ArchRule rule) {
    JavaClasses planted = new ClassFileImporter().importClasses(Planted.class);
    assertThat(rule.evaluate(planted).hasViolation()).isTrue();
  }

  @Test
  void findsEachPlantedClock() {
    JavaClasses planted = new ClassFileImporter().importClasses(Planted.class);
    assertThat(ONE_CLOCK.evaluate(planted).getFailureReport().getDetails()).hasSize(4);
  }

  private static String target(JavaAccess<?> access) {
    return access.getTargetOwner().getName() + "." + access.getTarget().getName();
  }

  private static boolean isProviderOfAnInterface(JavaType type) {
    return type instanceof JavaParameterizedType provider
        && provider.toErasure().isAssignableTo("org.springframework.beans.factory.ObjectFactory")
        && provider.getActualTypeArguments().stream()
            .map(JavaType::toErasure)
            .anyMatch(one -> one.isInterface() && resideInAPackage("dev.muster..").test(one));
  }

  /** Breaks each rule. */
  static final class Planted {

    /** An interface of another module. */
    interface Callbacks {}

    private final List<Object> found = new ArrayList<>();

    Planted(ObjectProvider<Callbacks> late) throws Exception {
      Supplier<Instant> reference = Instant::now;
      found.addAll(List.of(late, reference, Clock.systemUTC(), System.currentTimeMillis()));
      Thread.sleep(0);
      for (Method method : Events.class.getDeclaredMethods()) {
        found.add(method.getName());
      }
      found.add(TransactionSynchronizationManager.isSynchronizationActive());
    }
  }
}
