package dev.muster.attack;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import dev.muster.platform.http.Quota;
import dev.muster.platform.work.BackgroundLoop;
import dev.muster.testing.ServerClasses;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Checks the table of {@code docs/limits.md}: each row has an existing proof, each attack has a
 * row, and numbers equal those of the code and the settings.
 */
class LimitsTest {

  private static final Path LIMITS = Path.of("docs", "limits.md");
  private static final Path SETTINGS = Path.of("docs", "operate", "settings.md");
  private static final Path SOURCES = Path.of("src", "main", "java");
  private static final Path TESTS = Path.of("src", "test", "java");
  private static final int COLUMNS = 6;

  /** Whose share a bound knows; {@code –} for none. */
  private static final Set<String> OWNERS =
      Set.of(
          "caller",
          "network",
          "target",
          "workspace",
          "token",
          "feed",
          "connection",
          "request",
          "event",
          "run");

  private static final Pattern CODE = Pattern.compile("`([^`]+)`");

  /** What counts for each owner ({@code docs/internals}, shares). */
  private static final Set<Class<?>> COUNTS_OWNERS = Set.of(Quota.class);

  /** What bounds and knows no owner. */
  private static final Set<Class<?>> KNOWS_NO_OWNER =
      Set.of(
          Semaphore.class,
          ArrayBlockingQueue.class,
          LinkedBlockingQueue.class,
          LinkedBlockingDeque.class,
          ThreadPoolExecutor.class);

  /** Each is for one owner: the wake-ups of a loop, the pieces of one stream. */
  private static final Set<Class<?>> OF_ONE_OWNER =
      Set.of(BackgroundLoop.class, classOf("dev.muster.message.send.StreamingResponse"));

  /** A number, perhaps with a unit, and its constant. */
  private static final Pattern CONSTANT =
      Pattern.compile("([\\d,]+)( KiB| MiB| s| min)? \\(`(\\w+)\\.([A-Z_]+)`\\)");

  /** A number, perhaps with a unit, and the settings whose default it is. */
  private static final Pattern SETTING =
      Pattern.compile("([\\d,]+(?: GiB)?)(?: [a-z ]+)? \\((`[A-Z_]+`(?:, `[A-Z_]+`)*)\\)");

  private static final Map<String, Integer> UNITS = Map.of(" KiB", 1 << 10, " MiB", 1 << 20);

  /** The cells of a row. */
  record Row(List<String> cells) {

    String proof() {
      return cells.getLast();
    }

    String bounds() {
      return cells.get(1) + " | " + cells.get(2) + " | " + cells.get(4);
    }

    @Override
    public String toString() {
      return cells.getFirst();
    }
  }

  static List<Row> rows() throws IOException {
    return Files.readAllLines(LIMITS).stream()
        .filter(line -> line.startsWith("| "))
        .skip(1)
        .map(line -> new Row(List.of(line.substring(2, line.length() - 2).split(" \\| ", -1))))
        .toList();
  }

  @ParameterizedTest
  @MethodSource("rows")
  void namesAnExistingProof(Row row) throws IOException {
    assertThat(row.cells()).hasSize(COLUMNS).noneMatch(String::isBlank);
    Set<String> proofs = Set.copyOf(inCode(row.proof()));
    Set<String> existing = new HashSet<>(attacks());
    existing.addAll(testClasses());

    assertThat(proofs).isNotEmpty();
    assertThat(existing).containsAll(proofs);
  }

  @ParameterizedTest
  @MethodSource("rows")
  void namesTheOwnerOfItsShare(Row row) {
    String share = row.cells().get(2);
    String owner = row.cells().get(3);

    assertThat(owner.equals("–")).as(owner).isEqualTo(share.equals("–"));
    if (!share.equals("–")) {
      assertThat(OWNERS).containsAll(List.of(owner.split("; ", -1)));
    }
  }

  @ParameterizedTest
  @MethodSource("rows")
  void hasTheNumbersOfTheCode(Row row) throws Exception {
    Matcher constant = CONSTANT.matcher(row.bounds());
    while (constant.find()) {
      String unit = constant.group(2) == null ? "" : constant.group(2);
      double documented =
          number(constant.group(1)) * UNITS.getOrDefault(unit, unit.equals(" min") ? 60 : 1);
      String name = constant.group(3) + "." + constant.group(4);
      assertThat(documented).as(name).isEqualTo(valueOf(constant.group(3), constant.group(4)));
    }
    assertThat(inCode(row.bounds()).stream().filter(code -> code.matches("\\w+\\.[A-Z_]+")).count())
        .as("constants beside their numbers in " + row.bounds())
        .isEqualTo(CONSTANT.matcher(row.bounds()).results().count());
  }

  @ParameterizedTest
  @MethodSource("rows")
  void hasTheNumbersOfTheSettings(Row row) throws IOException {
    String settings = Files.readString(SETTINGS);
    Matcher setting = SETTING.matcher(row.bounds());
    while (setting.find()) {
      for (String name : inCode(setting.group(2))) {
        String line =
            settings
                .lines()
                .filter(l -> l.startsWith("| ") && l.split("\\|", -1)[1].contains("`" + name + "`"))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no setting " + name + " in " + SETTINGS));
        assertThat(line).contains("`" + setting.group(1).replaceAll("[, ]", "") + "`");
      }
    }
  }

  @Test
  void namesEveryAttack() throws IOException {
    Set<String> named =
        rows().stream().flatMap(row -> inCode(row.proof()).stream()).collect(Collectors.toSet());

    assertThat(named).containsAll(attacks());
  }

  /** A new bound is one of these classes, which count what each owner has. */
  @Test
  void everyBoundHasAnOwnerAndARow() throws IOException {
    Set<String> named =
        rows().stream()
            .flatMap(row -> inCode(row.bounds() + row.proof()).stream())
            .map(name -> name.replaceAll("(Test|\\..*)$", ""))
            .collect(Collectors.toSet());
    Set<Class<?>> makers = makersOf(COUNTS_OWNERS);
    makers.removeAll(COUNTS_OWNERS);

    assertThat(makers).hasSizeGreaterThan(10);
    assertThat(named).containsAll(makers.stream().map(Class::getSimpleName).toList());
    assertThat(makersOf(KNOWS_NO_OWNER)).isEqualTo(OF_ONE_OWNER);
  }

  private static Set<Class<?>> makersOf(Set<Class<?>> types) {
    return ServerClasses.ALL.stream()
        .filter(maker ->
            maker.getConstructorCallsFromSelf().stream()
                .anyMatch(call ->
                    types.stream().anyMatch(type -> call.getTargetOwner().isEquivalentTo(type))))
        .map(JavaClass::reflect)
        .collect(Collectors.toSet());
  }

  private static Class<?> classOf(String name) {
    try {
      return Class.forName(name);
    } catch (ClassNotFoundException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void readsNumbersWithTheirConstants() {
    Matcher constant = CONSTANT.matcher("64 KiB (`OutputPiece.MAX_KEPT_BYTES`) of each");
    assertThat(constant.find()).isTrue();
    assertThat(constant.group(4)).isEqualTo("MAX_KEPT_BYTES");
    assertThat(SETTING.matcher("600 a minute (`RATE_LIMIT`, `RATE_LIMIT_POLL`)").find()).isTrue();
  }

  private static Set<String> attacks() {
    return Attacks.all().stream().map(Attack::name).collect(Collectors.toCollection(TreeSet::new));
  }

  private static List<String> inCode(String cell) {
    return CODE.matcher(cell).results().map(code -> code.group(1)).toList();
  }

  private static double number(String text) {
    return Double.parseDouble(text.replace(",", ""));
  }

  /** The value in bytes, seconds, or without a unit. */
  private static double valueOf(String type, String constant) throws Exception {
    Field field = Class.forName(classNamed(type)).getDeclaredField(constant);
    field.setAccessible(true);
    return switch (field.get(null)) {
      case Duration duration -> duration.toMillis() / 1000.0;
      case Number number -> number.doubleValue();
      case null, default -> throw new AssertionError(type + "." + constant + " is no number");
    };
  }

  /** The only class of this name. */
  private static String classNamed(String type) throws IOException {
    List<String> found = new ArrayList<>();
    try (Stream<Path> files = Files.walk(SOURCES)) {
      files
          .filter(file -> file.endsWith(type + ".java"))
          .forEach(file ->
              found.add(
                  SOURCES.relativize(file).toString().replace(".java", "").replace('/', '.')));
    }
    assertThat(found).as("classes called " + type).hasSize(1);
    return found.getFirst();
  }

  private static Set<String> testClasses() throws IOException {
    Set<String> classes = new HashSet<>();
    try (Stream<Path> files = Files.walk(TESTS)) {
      files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".java"))
          .forEach(name -> classes.add(name.replace(".java", "")));
    }
    return classes;
  }
}
