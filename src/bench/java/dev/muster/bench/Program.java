package dev.muster.bench;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** One form of the server that was built: the jar, or the release folder. */
record Program(String name, List<String> command) {

  /** The jar of {@code mvn package}, on the Java that runs the bench. */
  static Program jar() throws IOException {
    Path jar = only(Path.of("target"), "muster-*.jar");
    return new Program("jar", List.of(BenchProcess.java(), "-jar", jar.toString()));
  }

  /** The folder of {@code src/build/archive}, without its ahead-of-time cache. */
  static Program folder() throws IOException {
    Path folder = releaseFolder();
    return new Program(
        "folder without cache",
        List.of(
            folder.resolve("runtime/bin/java").toString(),
            "@" + folder.resolve("app/options"),
            "-jar",
            folder.resolve("app/muster.jar").toString()));
  }

  /** The folder of {@code src/build/archive}, as users start it. */
  static Program release() throws IOException {
    Path folder = releaseFolder();
    only(folder.resolve("app"), "*.aot");
    return new Program("folder", List.of(folder.resolve("bin/muster").toString()));
  }

  private static Path releaseFolder() throws IOException {
    return only(Path.of("target", "release"), "muster-*-{amd64,arm64}");
  }

  private static Path only(Path folder, String glob) throws IOException {
    try (DirectoryStream<Path> found = Files.newDirectoryStream(folder, glob)) {
      List<Path> all = new ArrayList<>();
      found.forEach(all::add);
      if (all.size() != 1) {
        throw new IllegalStateException(
            "%s has %d of %s (expected: one, made by src/build/archive)"
                .formatted(folder, all.size(), glob));
      }
      return all.getFirst().toAbsolutePath();
    }
  }
}
