package dev.muster.platform.postgres;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.FileSystemUtils;

/**
 * Fills folders that are either whole or not there.
 *
 * <p>A folder gets its name only after all of it is written, so a process killed half-way leaves
 * nothing that a later start could take for the real one; and what carries the name is never
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
      remove(unfinished); // nothing, if it has its name by now
    }
  }

  /** Removes what killed processes left unfinished. */
  static void removeUnfinished(Path parent) throws IOException {
    try (DirectoryStream<Path> leftovers =
        Files.newDirectoryStream(parent, "*" + UNFINISHED + "*")) {
      for (Path leftover : leftovers) {
        remove(leftover);
      }
    }
  }

  /** Removes as much as it can; what resists costs disk space until a later attempt, no more. */
  static void remove(Path folder) {
    try {
      FileSystemUtils.deleteRecursively(folder);
    } catch (IOException e) {
      log.debug("Could not remove {}", folder, e);
    }
  }
}
