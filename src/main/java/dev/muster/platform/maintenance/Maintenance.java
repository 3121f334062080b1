package dev.muster.platform.maintenance;

import dev.muster.platform.maintenance.BackupFile.Contents;
import dev.muster.platform.settings.Misspelling;
import dev.muster.platform.settings.StartRefusedException;
import java.io.PrintStream;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;

/** Runs the commands of the program, with the settings of a server (R11.1). */
public final class Maintenance {

  /** The lines of the usage. */
  public static final String USAGE =
      """
        backup FILE      writes all data to a new file, also while the server runs
        restore FILE     fills an empty database with the data of a backup
        doctor [--json]  checks settings, home, database, schema, clock, files, port and cache
      """;

  private static final int DONE = 0;
  private static final int FAILED = 1;

  /** The exit code after arguments that the program does not have. */
  public static final int MISUSED = 2;

  private static final String JSON = "--json";
  private static final List<String> COMMANDS = List.of("backup", "restore", "doctor");

  /** A source without beans: a command wants the settings alone. */
  private static final class Settings {}

  private final String version;
  private final List<String> words;
  private final List<String> options;
  private final PrintStream out;
  private final PrintStream err;

  /**
   * @param version of this Muster
   * @param arguments of the program: the command, its arguments and settings as {@code
   *     --NAME=value}
   */
  public Maintenance(String version, List<String> arguments, PrintStream out, PrintStream err) {
    this.version = version;
    this.words = arguments.stream().filter(one -> !one.startsWith("--")).toList();
    this.options = arguments.stream().filter(one -> one.startsWith("--")).toList();
    this.out = out;
    this.err = err;
  }

  /** Whether the command has this option, beside the settings. */
  public static boolean isOption(String command, String option) {
    return command.equals("doctor") && option.equals(JSON);
  }

  /**
   * Runs the command, and returns the exit code of the program: 0, 1 after a failure, 2 for a
   * command that does not exist.
   *
   * <p>A signal that ends the program ends the command first, which then leaves no unfinished file
   * and no database running. Its thread is virtual, so that an interrupt ends a wait for
   * PostgreSQL.
   */
  public int run() {
    FutureTask<Integer> command = new FutureTask<>(this::command);
    Thread worker = Thread.ofVirtual().name("command").start(command);
    Thread atEnd =
        new Thread(() -> {
          worker.interrupt();
          awaitEnd(worker);
        });
    Runtime.getRuntime().addShutdownHook(atEnd);
    awaitEnd(worker);
    try {
      boolean _ = Runtime.getRuntime().removeShutdownHook(atEnd);
    } catch (IllegalStateException isEnding) {
      // the signal decides the exit code
    }
    try {
      return command.resultNow();
    } catch (IllegalStateException failed) {
      throw new IllegalStateException(
          "the command failed, which indicates a bug", command.exceptionNow());
    }
  }

  private static void awaitEnd(Thread worker) {
    while (true) {
      try {
        worker.join();
        return;
      } catch (InterruptedException e) {
        worker.interrupt();
      }
    }
  }

  private int command() {
    try {
      return switch (words.getFirst() + " FILE".repeat(words.size() - 1)) {
        case "backup FILE" -> backup(file(words.getLast()));
        case "restore FILE" -> restore(file(words.getLast()));
        case "doctor" -> doctor();
        default -> {
          err.printf(
              "muster: %s%nExpected one of%n%sWithout a command it starts the server.%n",
              misused(), USAGE);
          yield MISUSED;
        }
      };
    } catch (RuntimeException e) {
      if (Thread.interrupted()) {
        err.println("muster: stopped by a signal before the end; run the command again.");
        return FAILED;
      }
      err.println("muster: " + refusal(e));
      return FAILED;
    }
  }

  private String misused() {
    String word = words.getFirst();
    if (COMMANDS.contains(word)) {
      return words.size() == 1 ? word + " wants the name of a FILE" : word + " has too many words";
    }
    return "there is no command %s%s"
        .formatted(
            word,
            Misspelling.nearest(word, COMMANDS)
                .map(near -> "; did you mean " + near + "?")
                .orElse(""));
  }

  private static Path file(String text) {
    try {
      return Path.of(text);
    } catch (InvalidPathException e) {
      throw new CommandFailedException("%s is not the name of a file.".formatted(text), e);
    }
  }

  /** Returns the sentence of a failure or a refused start; throws any other failure again. */
  private static String refusal(RuntimeException failure) {
    for (@Nullable Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof StartRefusedException || cause instanceof CommandFailedException) {
        return String.valueOf(cause.getMessage());
      }
    }
    throw failure;
  }

  private int backup(Path file) {
    try (MaintainedDatabase database = MaintainedDatabase.toRead(settings())) {
      Contents contents = Backup.write(database.address(), file, version);
      out.printf(
          "%s has %,d rows of %d tables, as of %s. It holds messages and the hashes of tokens: keep"
              + " it like the database.%n",
          file, contents.rows(), contents.tables().size(), contents.takenAt());
      return DONE;
    }
  }

  private int restore(Path file) {
    ConfigurableEnvironment settings = settings();
    // first the file: a wrong one leaves no new home
    try (BackupFile backup = BackupFile.open(file);
        MaintainedDatabase database = MaintainedDatabase.toFill(settings)) {
      Contents contents = Restore.run(database.address(), backup);
      out.printf(
          """
          Restored %,d rows of %d tables, as of %s.
          Tokens are those of the backup: none that was made later is valid, and those revoked later are valid again.
          The admin token is ADMIN_TOKEN where it is set, with an embedded database that of its home, else that of the backup.
          People sign in to the console again.
          """,
          contents.rows(), contents.tables().size(), contents.takenAt());
      return DONE;
    }
  }

  private int doctor() {
    List<Doctor.Check> checks = new Doctor(environment(List.of("threshold.console=off"))).checks();
    out.print(options.contains(JSON) ? Doctor.json(checks) : Doctor.lines(checks));
    return Doctor.hasFailed(checks) ? FAILED : DONE;
  }

  /** Returns the settings, checked as at the start of a server; waits for a database, too. */
  private ConfigurableEnvironment settings() {
    return environment(
        List.of(
            "threshold.console=warn",
            // this class says the sentence
            "level.org.springframework.boot.SpringApplication=off",
            "level.org.springframework.boot.diagnostics=off"));
  }

  private ConfigurableEnvironment environment(List<String> logging) {
    SpringApplication application = new SpringApplication(Settings.class);
    application.setWebApplicationType(WebApplicationType.NONE);
    application.setRegisterShutdownHook(false);
    if (words.getFirst().equals("doctor")) {
      application.setInitializers(List.of()); // it makes their checks itself, and goes on
    }
    String[] arguments =
        Stream.concat(options.stream(), logging.stream().map(one -> "--logging." + one))
            .toArray(String[]::new);
    try (ConfigurableApplicationContext context = application.run(arguments)) {
      return context.getEnvironment();
    }
  }
}
