package dev.muster.platform.embedded;

import dev.muster.platform.settings.StartRefusedException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.jspecify.annotations.Nullable;
import org.tukaani.xz.XZInputStream;

/**
 * Unpacks PostgreSQL's programs from the class path into a folder named after their digest.
 *
 * <p>Uses Zonky's archives, but not Zonky's code. That code opens its folder to all users for
 * writing. It also accepts a file that a killed process left half-written.
 */
final class PostgresBinaries {

  private final Path folder;

  private PostgresBinaries(Path folder) {
    this.folder = folder;
  }

  static PostgresBinaries unpackedIn(Path parent) {
    URL archive = archive();
    try {
      PrivateFiles.createFolder(parent);
      Path folder = parent.toRealPath().resolve(checksum(archive));
      if (!Files.exists(folder)) {
        AtomicDirectory.make(folder, unfinished -> unpack(archive, unfinished));
      }
      return new PostgresBinaries(folder);
    } catch (IOException e) {
      throw new StartRefusedException(
          "The embedded PostgreSQL cannot be unpacked into %s (%s)."
              .formatted(parent, IoFailureText.of(e)),
          e);
    }
  }

  Path bin() {
    return folder.resolve("bin");
  }

  boolean hasLibrary(String name) {
    return Stream.of(
            "lib/postgresql/%s.so", "lib/postgresql/%s.dylib", "lib/%s.dylib", "lib/%s.dll")
        .anyMatch(place -> Files.exists(folder.resolve(place.formatted(name))));
  }

  /** Removes the programs of other versions, none of which may still run. */
  void removeOthers() {
    try (DirectoryStream<Path> folders =
        Files.newDirectoryStream(folder.getParent(), other -> !other.equals(folder))) {
      folders.forEach(AtomicDirectory::remove);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the programs of this platform; refuses the start where there are none. */
  static URL archive() {
    String os = os();
    String architecture = architecture();
    return Stream.of(Files.exists(Path.of("/etc/alpine-release")) ? "-alpine_linux" : "", "")
        .map(suffix -> "/postgres-%s-%s%s.txz".formatted(os, architecture, suffix))
        .map(PostgresBinaries.class::getResource)
        .filter(Objects::nonNull)
        .findFirst()
        .orElseThrow(() ->
            new StartRefusedException(
                "Muster brings no PostgreSQL for %s on %s; set DATABASE_URL."
                    .formatted(os, architecture)));
  }

  private static String os() {
    String name = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    if (name.startsWith("windows")) {
      return "windows";
    }
    return name.startsWith("mac") ? "darwin" : name;
  }

  private static String architecture() {
    return switch (System.getProperty("os.arch")) {
      case "amd64", "x86_64" -> "x86_64";
      case "aarch64" -> "arm_64";
      case String other -> other;
    };
  }

  /** Names the version of the programs. Each start computes it, so it is a fast one. */
  private static String checksum(URL archive) throws IOException {
    try (var in = new CheckedInputStream(archive.openStream(), new CRC32())) {
      long length = in.transferTo(OutputStream.nullOutputStream());
      return "%08x-%d".formatted(in.getChecksum().getValue(), length);
    }
  }

  private static void unpack(URL archive, Path folder) throws IOException {
    try (InputStream in = archive.openStream();
        var tar = new TarArchiveInputStream(new XZInputStream(in))) {
      for (@Nullable TarArchiveEntry entry = tar.getNextEntry();
          entry != null;
          entry = tar.getNextEntry()) {
        unpack(entry, tar, folder.resolve(entry.getName()));
      }
    }
  }

  private static void unpack(TarArchiveEntry entry, InputStream content, Path file)
      throws IOException {
    if (entry.isDirectory()) {
      Files.createDirectories(file);
      return;
    }
    Files.createDirectories(Objects.requireNonNull(file.getParent()));
    if (entry.isSymbolicLink()) {
      Files.createSymbolicLink(file, Path.of(entry.getLinkName()));
      return;
    }
    Files.copy(content, file);
    PrivateFiles.sync(file);
    if ((entry.getMode() & 0100) != 0 && !file.toFile().setExecutable(true)) {
      throw new IOException("cannot make executable: " + file);
    }
  }
}
