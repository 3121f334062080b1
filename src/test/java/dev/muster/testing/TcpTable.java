package dev.muster.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** The kernel's table of connections. A test that reads it is skipped where there is none. */
public final class TcpTable {

  private static final List<Path> FILES =
      List.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6"));

  private TcpTable() {}

  /** The connections that are open at the side of {@code port}, whoever has that port. */
  public static long openAt(int port) {
    List<Path> tables = FILES.stream().filter(Files::exists).toList();
    Assumptions.assumeFalse(tables.isEmpty());
    // 01 is established, and 08 closed by the other side alone
    String open =
        String.format(Locale.ROOT, "\\s*\\d+: [0-9A-F]+:%04X [0-9A-F]+:[0-9A-F]+ (01|08) .*", port);
    return tables.stream().flatMap(TcpTable::lines).filter(line -> line.matches(open)).count();
  }

  private static Stream<String> lines(Path file) {
    try {
      return Files.readAllLines(file).stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
