import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * Replaces jars by such with the same entries, not compressed: a start reads thousands of them, and
 * would decompress each. The archive of a release is compressed as a whole.
 *
 * <p>Usage: {@code java StoreJars.java JAR…}
 */
public final class StoreJars {

  private StoreJars() {}

  public static void main(String[] jars) throws IOException {
    for (String jar : jars) {
      store(Path.of(jar));
    }
  }

  private static void store(Path jar) throws IOException {
    Path stored = jar.resolveSibling(jar.getFileName() + ".part");
    try (ZipFile from = new ZipFile(jar.toFile());
        OutputStream file = Files.newOutputStream(stored);
        ZipOutputStream to = new ZipOutputStream(file)) {
      List<? extends ZipEntry> entries = from.stream().toList();
      for (ZipEntry entry : entries) {
        byte[] content = from.getInputStream(entry).readAllBytes();
        ZipEntry copy = new ZipEntry(entry.getName());
        copy.setTimeLocal(entry.getTimeLocal());
        copy.setMethod(ZipEntry.STORED);
        copy.setSize(content.length);
        CRC32 crc = new CRC32();
        crc.update(content);
        copy.setCrc(crc.getValue());
        to.putNextEntry(copy);
        to.write(content);
      }
    }
    Files.move(stored, jar, StandardCopyOption.REPLACE_EXISTING);
  }
}
