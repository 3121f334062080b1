package dev.muster.platform.embedded;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Set;

/** Creates files and folders that only their owner can read, and syncs them to disk. */
public final class PrivateFiles {

  private static final boolean POSIX =
      FileSystems.getDefault().supportedFileAttributeViews().contains("posix");

  private PrivateFiles() {}

  static void createFolder(Path folder) throws IOException {
    Files.createDirectories(folder, permissions("rwx------"));
  }

  public static FileChannel open(Path file, OpenOption... options) throws IOException {
    return FileChannel.open(file, Set.of(options), permissions("rw-------"));
  }

  /** Writes the whole file or nothing; no other process may write to the folder meanwhile. */
  static void write(Path file, String text) throws IOException {
    Path unfinished = file.resolveSibling(file.getFileName() + ".unfinished");
    Files.deleteIfExists(unfinished);
    try (FileChannel channel = open(unfinished, CREATE_NEW, WRITE)) {
      ByteBuffer bytes = StandardCharsets.UTF_8.encode(text);
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(true);
    }
    move(unfinished, file);
  }

  /** Renames a file; returns when the new name is on the disk. */
  public static void move(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    if (POSIX) { // elsewhere a folder cannot be opened, and the file system keeps a journal
      sync(Objects.requireNonNull(to.getParent()));
    }
  }

  static void sync(Path path) throws IOException {
    // A folder cannot be opened for writing; Windows syncs only what is open for writing.
    try (FileChannel channel = FileChannel.open(path, Files.isDirectory(path) ? READ : WRITE)) {
      channel.force(true);
    }
  }

  private static FileAttribute<?>[] permissions(String permissions) {
    return POSIX
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
        }
        : new FileAttribute<?>[0];
  }
}
