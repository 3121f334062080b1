package dev.muster;

import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import com.github.kagkarlsson.scheduler.Scheduler;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.constantpool.StringEntry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.modulith.ApplicationModule;

/**
 * Every table has one owner, a module. SQL of other modules names only the owner's views {@code
 * api_<owner>_<noun>} and the exceptions in {@code docs/internals}.
 */
class TableOwnershipTest {

  private static final Path SERVER = Path.of("target/classes/dev/muster");
  private static final Path PAGE = Path.of("docs/internals/README.md");
  private static final Pattern CODE = Pattern.compile("`([^`]+)`");

  private static final Map<String, String> OWNERS = new TreeMap<>();
  private static final Map<String, Set<String>> EXCEPTIONS = new TreeMap<>();

  private final TestDatabase database = TestServer.shared().database();

  @BeforeAll
  static void readThePage() throws IOException {
    for (List<String> row : rowsOf("Who writes which table")) {
      List<String> owner = codesOf(row.get(1));
      assertThat(owner).as("the owner of %s", row.getFirst()).hasSize(1);
      codesOf(row.getFirst()).forEach(table -> OWNERS.put(table, owner.getFirst()));
    }
    for (List<String> row : rowsOf("Statements that name tables of another module")) {
      assertThat(row.get(2)).as("the reason for %s", row.getFirst()).isNotBlank();
      EXCEPTIONS.put(codesOf(row.getFirst()).getFirst(), new TreeSet<>(codesOf(row.get(1))));
    }
  }

  @Test
  void givesEachTableAnOwner() {
    assertThat(OWNERS.keySet()).isEqualTo(relations("r"));
  }

  @Test
  void publishesViewsOfTheirOwnersTables() {
    String usage =
        database.value(
            """
            SELECT string_agg(DISTINCT view_name || ' ' || table_name, ',') FROM information_schema.view_table_usage
            WHERE view_schema = 'public'
            """);
    Set<String> described = new TreeSet<>();
    for (String pair : usage.split(",", -1)) {
      String[] parts = pair.split(" ", -1);
      assertThat(ownerOf(parts[0])).as(pair).isEqualTo(OWNERS.get(parts[1]));
      assertThat(described.add(parts[0])).as("%s is of one table", parts[0]).isTrue();
    }
    assertThat(described).isEqualTo(relations("v")).isNotEmpty();
  }

  @Test
  void keepsStatementsToTheTablesOfTheirModule() throws IOException {
    Map<String, Set<String>> named = new TreeMap<>();
    Set<String> statements = new TreeSet<>();
    for (Text constant : texts(SERVER)) {
      List<SqlTables.Named> tables = SqlTables.in(constant.text());
      if (tables.stream().anyMatch(one -> ownerOf(one.table()) != null)) {
        statements.add(constant.text());
      }
      Set<String> foreign = foreign(constant.type(), tables);
      if (!foreign.isEmpty()) {
        named.computeIfAbsent(constant.type(), type -> new TreeSet<>()).addAll(foreign);
      }
    }

    assertThat(statements).as("the statements that were read").isNotEmpty();
    assertThat(named).isEqualTo(EXCEPTIONS);
  }

  /** db-scheduler guarantees nothing about its columns: check them again after an update of it. */
  @Test
  void namesColumnsOfTheSchedulerInOneClass() throws IOException {
    Set<String> types = new TreeSet<>();
    for (Text constant : texts(SERVER)) {
      if (SqlTables.in(constant.text()).stream()
          .anyMatch(one -> List.of("recurring_jobs", "retention_jobs").contains(one.table()))) {
        types.add(constant.type());
      }
    }
    String jar = Scheduler.class.getProtectionDomain().getCodeSource().getLocation().getPath();

    assertThat(types).containsExactly("platform.work.JobHistory");
    assertThat(jar)
        .as("the version in which task_name and execution_time mean what JobHistory reads in them")
        .endsWith("/db-scheduler-16.12.0.jar");
  }

  @Test
  void findsTablesOfOtherModules() {
    Path classFile =
        Path.of("target/test-classes", Planted.class.getName().replace('.', '/') + ".class");
    Set<String> found = new TreeSet<>();
    for (Text constant : textsIn(classFile)) {
      found.addAll(foreign("runtime.Planted", SqlTables.in(constant.text())));
    }

    assertThat(found)
        .containsExactlyInAnyOrder(
            "delivery_outcomes",
            "delegations",
            "activity_logs",
            "deliveries",
            "api_message_feed",
            "api_workspace_tree",
            "api_workspace_heartbeat",
            "operator_actions");
  }

  /** Names tables of other modules in each way that is found. */
  @SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // it is read as a class file
  private static final class Planted {
    static final String TABLE = "delegations";
    static final String ENDED = "SELECT 1 FROM runtime_heads h, public.delivery_outcomes o";
    static final String JOINED = "SELECT events FROM runtime_runs r JOIN " + TABLE + " d ON true";
    static final String WRITTEN =
        """
        WITH one AS (DELETE FROM activity_logs a USING deliveries d WHERE a.seq = d.seq)
        INSERT INTO runtime_segments (workspace_id, events) SELECT events, replicas FROM one
        """;
    static final String READ =
        "SELECT id FROM api_workspace_delivery w, runtime_heads h FOR UPDATE OF h";
    static final String NOT_ALLOWED = "SELECT 1 FROM api_message_feed";
    static final String CHANGED = "UPDATE api_workspace_tree SET version = 1";

    static String lock(String name) {
      return "SELECT " + name + " FROM api_workspace_heartbeat b FOR KEY SHARE";
    }

    static String record(String name) {
      return "update operator_actions set who = %s".formatted(name);
    }
  }

  /**
   * A text of a class file. The compiler makes one of a concatenation, and copies the constants of
   * other classes into it.
   *
   * @param type the top-level class, without {@code dev.muster.}
   */
  private record Text(String type, String text) {}

  private static List<Text> texts(Path root) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      return files
          .filter(file -> file.toString().endsWith(".class"))
          .flatMap(file -> textsIn(file).stream())
          .toList();
    }
  }

  private static List<Text> textsIn(Path classFile) {
    ClassModel model;
    try {
      model = ClassFile.of().parse(classFile);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    String type =
        model
            .thisClass()
            .asInternalName()
            .replaceFirst("\\$.*", "")
            .replace('/', '.')
            .replaceFirst("^dev\\.muster\\.", "");
    List<Text> found = new ArrayList<>();
    for (PoolEntry entry : model.constantPool()) {
      if (entry instanceof StringEntry text) {
        found.add(new Text(type, text.stringValue()));
      }
    }
    return found;
  }

  /** Returns what a class may not name in this way. */
  private Set<String> foreign(String type, List<SqlTables.Named> tables) {
    String module = type.contains(".") ? type.substring(0, type.indexOf('.')) : "";
    return tables.stream()
        .filter(one -> {
          @Nullable String owner = ownerOf(one.table());
          boolean isOwn = owner == null || owner.equals(module);
          boolean isPublished =
              one.table().startsWith("api_") && one.isOnlyRead() && mayUse(module, owner);
          return !isOwn && !isPublished;
        })
        .map(SqlTables.Named::table)
        .collect(toCollection(TreeSet::new));
  }

  /** Returns the module of a table or view; null for any other name. */
  private static @Nullable String ownerOf(String name) {
    return name.startsWith("api_") ? name.split("_", -1)[1] : OWNERS.get(name);
  }

  private static boolean mayUse(String module, @Nullable String owner) {
    return module.isEmpty() || allowedDependencies(module).contains(owner);
  }

  /** Returns what a module may use: nothing if its package says nothing, as {@code protocol}'s. */
  static List<String> allowedDependencies(String module) {
    try {
      @Nullable ApplicationModule written =
          Class.forName("dev.muster." + module + ".package-info")
              .getPackage()
              .getAnnotation(ApplicationModule.class);
      return written == null ? List.of() : Arrays.asList(written.allowedDependencies());
    } catch (ClassNotFoundException e) {
      throw new AssertionError("no module " + module, e);
    }
  }

  private Set<String> relations(String kind) {
    return new TreeSet<>(
        List.of(
            database
                .value(
                    """
                    SELECT string_agg(relname, ',') FROM pg_class
                    WHERE relnamespace = 'public'::regnamespace AND relkind = '%s' AND relname <> 'flyway_schema_history'
                    """
                        .formatted(kind))
                .split(",", -1)));
  }

  /** Returns the cells of the table below a heading of the page. */
  static List<List<String>> rowsOf(String heading) throws IOException {
    List<List<String>> rows =
        Files.readAllLines(PAGE).stream()
            .dropWhile(line -> !line.matches("#+ " + heading))
            .dropWhile(line -> !line.startsWith("|"))
            .takeWhile(line -> line.startsWith("|"))
            .skip(2)
            .map(line -> List.of(line.substring(1).split(" *\\| *", -1)))
            .map(cells -> cells.stream().map(String::strip).toList())
            .toList();
    assertThat(rows).as(heading).isNotEmpty();
    return rows;
  }

  static List<String> codesOf(String cell) {
    return CODE.matcher(cell).results().map((MatchResult code) -> code.group(1)).toList();
  }
}
