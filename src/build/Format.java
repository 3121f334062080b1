import com.google.googlejavaformat.java.Main;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Runs google-java-format over every Java file of the repository: "check" names bad files, "fix"
 * rewrites them.
 */
final class Format {

  private static final List<String> CHECK = List.of("--dry-run", "--set-exit-if-changed");
  private static final List<String> FIX = List.of("--replace");
  private static final List<String> FOLDERS = List.of("src", "agent/src", "docs/examples");

  public static void main(String[] args) throws Exception {
    List<String> mode =
        switch (args[0]) {
          case "check" -> CHECK;
          case "fix" -> FIX;
          default ->
              throw new IllegalArgumentException("format: " + args[0] + " (expected: check, fix)");
        };
    List<String> arguments = new ArrayList<>(mode);
    for (String folder : FOLDERS) {
      try (Stream<Path> paths = Files.walk(Path.of(folder))) {
        paths
            .map(Path::toString)
            .filter(name -> name.endsWith(".java"))
            .sorted()
            .forEach(arguments::add);
      }
    }
    var out = new PrintWriter(System.out, true);
    var err = new PrintWriter(System.err, true);
    int exit = new Main(out, err, System.in).format(arguments.toArray(String[]::new));
    if (exit != 0 && mode == CHECK) {
      err.println(
          "The files above are not formatted; to format them: mvn -q validate exec:exec@format"
              + " -Dformat=fix");
    }
    out.flush();
    err.flush();
    System.exit(exit);
  }
}
