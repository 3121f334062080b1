package dev.muster.platform.maintenance;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.muster.platform.embedded.IoFailureText;
import dev.muster.platform.embedded.PrivateFiles;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

/**
 * The file of a backup: a zip of the rows of each table as PostgreSQL's COPY writes them, and at
 * the end {@code backup.json}, the {@link Contents}. A file without it is not complete.
 */
final class BackupFile implements AutoCloseable {

  static final int FORMAT = 1;

  private static final String CONTENTS = "backup.json";

  private static final JsonMapper JSON =
      JsonMapper.builder().propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE).build();

  /**
   * What a backup holds.
   *
   * @param format {@link #FORMAT}
   * @param muster the version of Muster
   * @param schema the version of the schema
   * @param postgres the version of PostgreSQL
   * @param sequences the last number that each sequence gave
   */
  record Contents(
      int format,
      String muster,
      int schema,
      String postgres,
      Instant takenAt,
      Map<String, Table> tables,
      Map<String, Long> sequences) {

    long rows() {
      return tables.values().stream().mapToLong(Table::rows).sum();
    }
  }

  /**
   * The rows of a table.
   *
   * @param columns in the order of the values
   * @param sha256 of the rows as they are in the file before its compression
   */
  record Table(List<String> columns, long rows, String sha256) {}

  /** Writes the rows of one table to the stream, and returns their number. */
  @FunctionalInterface
  interface Rows {
    long writeTo(OutputStream rows) throws IOException, SQLException;
  }

  /** Takes the rows of one table from the stream. */
  @FunctionalInterface
  interface RowsReader {
    void read(InputStream rows) throws IOException, SQLException;
  }

  /** A file that is written; until it is complete it has the name {@code ….part}. */
  static final class Writer implements AutoCloseable {

    private final Path file;
    private final Path part;
    private final FileChannel channel;
    private final ZipOutputStream zip;
    private final Map<String, Table> tables = new TreeMap<>();
    private boolean isComplete;

    Writer(Path file) throws IOException {
      this.file = file.toAbsolutePath();
      this.part = this.file.resolveSibling(this.file.getFileName() + ".part");
      this.channel = PrivateFiles.open(part, CREATE, TRUNCATE_EXISTING, WRITE);
      this.zip = new ZipOutputStream(new BufferedOutputStream(Channels.newOutputStream(channel)));
    }

    void add(String table, List<String> columns, Rows rows) throws IOException, SQLException {
      zip.putNextEntry(new ZipEntry(entry(table)));
      MessageDigest digest = sha256();
      long count = rows.writeTo(new DigestOutputStream(zip, digest));
      zip.closeEntry();
      tables.put(table, new Table(columns, count, HexFormat.of().formatHex(digest.digest())));
    }

    /** Adds the contents, and gives the file its name when it is on the disk. */
    Contents complete(
        String muster, int schema, String postgres, Instant takenAt, Map<String, Long> sequences)
        throws IOException {
      Contents contents =
          new Contents(FORMAT, muster, schema, postgres, takenAt, tables, sequences);
      zip.putNextEntry(new ZipEntry(CONTENTS));
      zip.write(JSON.writeValueAsBytes(contents));
      zip.closeEntry();
      zip.finish();
      zip.flush();
      channel.force(true);
      channel.close();
      PrivateFiles.move(part, file);
      isComplete = true;
      return contents;
    }

    /** Deletes what is not complete. */
    @Override
    public void close() throws IOException {
      channel.close();
      if (!isComplete) {
        Files.deleteIfExists(part);
      }
    }
  }

  private final Path path;
  private final ZipFile zip;
  private final Contents contents;

  private BackupFile(Path path, ZipFile zip, Contents contents) {
    this.path = path;
    this.zip = zip;
    this.contents = contents;
  }

  /**
   * Opens a file, and compares all rows with their digests.
   *
   * @throws CommandFailedException if it is no complete and unchanged backup
   */
  static BackupFile open(Path path) {
    ZipFile zip;
    if (!Files.exists(path)) {
      throw new CommandFailedException("There is no file %s.".formatted(path));
    }
    try {
      zip = new ZipFile(path.toFile());
    } catch (IOException e) {
      throw new CommandFailedException(
          "%s cannot be read as a backup (%s); a backup that was cut short is of no use, take another one."
              .formatted(path, IoFailureText.of(e)),
          e);
    }
    try {
      BackupFile file = new BackupFile(path, zip, contents(path, zip));
      file.verify();
      return file;
    } catch (RuntimeException e) {
      close(zip);
      throw e;
    }
  }

  private static Contents contents(Path path, ZipFile zip) {
    ZipEntry entry = zip.getEntry(CONTENTS);
    if (entry == null) {
      throw new CommandFailedException(
          "%s is not a backup: it has no %s.".formatted(path, CONTENTS));
    }
    try (InputStream in = zip.getInputStream(entry)) {
      JsonNode contents = JSON.readTree(in);
      int format = contents.path("format").asInt(0);
      if (format != FORMAT) {
        throw new CommandFailedException(
            "%s has the format %d, and this Muster reads the format %d; restore it with the Muster that wrote it, %s."
                .formatted(path, format, FORMAT, contents.path("muster").asString("?")));
      }
      return JSON.treeToValue(contents, Contents.class);
    } catch (IOException | JacksonException e) {
      throw new CommandFailedException(
          "%s is not a backup: its %s cannot be read.".formatted(path, CONTENTS), e);
    }
  }

  Contents contents() {
    return contents;
  }

  private void verify() {
    contents
        .tables()
        .forEach((name, table) -> {
          MessageDigest digest = sha256();
          try (InputStream rows = new DigestInputStream(rows(name), digest)) {
            rows.transferTo(OutputStream.nullOutputStream());
          } catch (IOException e) {
            throw damaged(name, e);
          }
          if (!HexFormat.of().formatHex(digest.digest()).equals(table.sha256())) {
            throw damaged(name, new IOException("another digest"));
          }
        });
  }

  private CommandFailedException damaged(String table, IOException cause) {
    return new CommandFailedException(
        "%s is damaged: the rows of the table %s are not those that were written (%s); take another backup."
            .formatted(path, table, IoFailureText.of(cause)),
        cause);
  }

  void read(String table, RowsReader reader) throws SQLException {
    try (InputStream rows = rows(table)) {
      reader.read(rows);
    } catch (IOException e) {
      throw damaged(table, e);
    }
  }

  private InputStream rows(String table) throws IOException {
    ZipEntry entry = zip.getEntry(entry(table));
    if (entry == null) {
      throw new IOException("they are missing");
    }
    return zip.getInputStream(entry);
  }

  private static String entry(String table) {
    return "tables/" + table + ".copy";
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void close(ZipFile zip) {
    try {
      zip.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    close(zip);
  }
}
