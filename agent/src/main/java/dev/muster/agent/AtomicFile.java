package dev.muster.agent;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;

/**
 * Reads and atomically replaces a small text file that only its owner may read. A reader sees the
 * whole old or the whole new text, even after a crash during the write.
 */
record AtomicFile(Path path) {

  /** Reads the text; empty when there is no file. */
  Optional<String> read() throws IOException {
    try {
      return Optional.of(new String(Files.readAllBytes(path), StandardCharsets.UTF_8));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  void write(String text) throws IOException {
    Path folder = path.toAbsolutePath().getParent();
    if (folder == null) {
      throw new IOException(path + " is no file");
    }
    Files.createDirectories(folder);
    Path fresh = Files.createTempFile(folder, "." + path.getFileName(), ".new", ownersOnly(folder));
    try {
      try (FileChannel channel = FileChannel.open(fresh, StandardOpenOption.WRITE)) {
        ByteBuffer bytes = StandardCharsets.UTF_8.encode(text);
        while (bytes.hasRemaining()) {
          channel.write(bytes);
        }
        channel.force(true);
      }
      Files.move(fresh, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(fresh);
    }
  }

  private static FileAttribute<?>[] ownersOnly(Path folder) throws IOException {
    boolean posix = Files.getFileStore(folder).supportsFileAttributeView("posix");
    return posix
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
        }
        : new FileAttribute<?>[0];
  }
}
