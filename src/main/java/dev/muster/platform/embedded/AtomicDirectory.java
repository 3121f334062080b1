package dev.muster.platform.embedded;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.FileSystemUtils;

/**
 * Creates a folder atomically: it exists with all of its content or not at all.
 *
 * <p>The content is written into an ".unfinished-" folder, which is renamed at the end. After a
 * kill half-way, a later start finds no folder of the final name, and a complete folder is never
 * deleted as unfinished.
 */
final class AtomicDirectory {

  private static final Logger log = LoggerFactory.getLogger(AtomicDirectory.class);
  private static final String UNFINISHED = ".unfinished-";

  private AtomicDirectory() {}

  interface Filling {
    void fill(Path folder) throws IOException;
  }

  static void make(Path folder, Filling filling) throws IOException {
    Path parent = Objects.requireNonNull(folder.getParent());
    removeUnfinished(parent);
    // A new name each time: a program of the killed process may still be writing to the old one.
    Path unfinished = Files.createTempDirectory(parent, folder.getFileName() + UNFINISHED);
    try {
      filling.fill(unfinished);
      PrivateFiles.move(unfinished, folder);
    } finally {
      remove(unfinished); // does nothing after the rename
    }
  }

  /** Removes unfinished folders of killed processes. */
  static void removeUnfinished(Path parent) throws IOException {
    try (DirectoryStream<Path> leftovers =
        Files.newDirectoryStream(parent, "*" + UNFINISHED + "*")) {
      for (Path leftover : leftovers) {
        remove(leftover);
      }
    }
  }

  /** Removes as much as possible; the rest only costs disk space until a later attempt. */
  static void remove(Path folder) {
    try {
      FileSystemUtils.deleteRecursively(folder);
    } catch (IOException e) {
      log.debug("Could not remove {}", folder, e);
    }
  }
}
