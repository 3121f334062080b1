import com.google.googlejavaformat.java.Main;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Runs google-java-format over every Java file under src: "check" names bad files, "fix" rewrites
 * them.
 */
final class Format {

  private static final List<String> CHECK = List.of("--dry-run", "--set-exit-if-changed");
  private static final List<String> FIX = List.of("--replace");

  public static void main(String[] args) throws Exception {
    List<String> mode =
        switch (args[0]) {
          case "check" -> CHECK;
          case "fix" -> FIX;
          default ->
              throw new IllegalArgumentException("format: " + args[0] + " (expected: check, fix)");
        };
    try (Stream<Path> paths = Files.walk(Path.of("src"))) {
      Stream<String> files =
          paths.map(Path::toString).filter(name -> name.endsWith(".java")).sorted();
      var out = new PrintWriter(System.out, true);
      var err = new PrintWriter(System.err, true);
      int exit =
          new Main(out, err, System.in)
              .format(Stream.concat(mode.stream(), files).toArray(String[]::new));
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
}
