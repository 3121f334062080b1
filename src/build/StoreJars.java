import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * Replaces jars by such with the same entries, not compressed and with no sealed package.
 *
 * <p>A start reads thousands of entries, and would decompress each; the archive of a release is
 * compressed as a whole. The ahead-of-time cache remembers the folder that it was made in, and a
 * JVM that uses it elsewhere does not start when a package is sealed.
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
        byte[] content = content(from, entry);
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

  private static byte[] content(ZipFile jar, ZipEntry entry) throws IOException {
    byte[] content = jar.getInputStream(entry).readAllBytes();
    if (!entry.getName().equals(JarFile.MANIFEST_NAME)) {
      return content;
    }
    Manifest manifest = new Manifest(new ByteArrayInputStream(content));
    Stream.concat(Stream.of(manifest.getMainAttributes()), manifest.getEntries().values().stream())
        .forEach(attributes -> attributes.remove(Attributes.Name.SEALED));
    ByteArrayOutputStream changed = new ByteArrayOutputStream();
    manifest.write(changed);
    return changed.toByteArray();
  }
}
