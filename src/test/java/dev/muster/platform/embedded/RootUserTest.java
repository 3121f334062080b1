package dev.muster.platform.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RootUserTest {

  @Test
  void reportsThatRootMayNotCreateANamespace(@TempDir Path folder) throws Exception {
    assumeThat(RootPostgresUser.prefix()).as("tests run as root").isNotEmpty();
    Path unshare = folder.resolve("unshare");
    Files.writeString(
        unshare, "#!/bin/sh\necho 'unshare failed: Operation not permitted' >&2\nexit 1\n");
    Files.setPosixFilePermissions(unshare, PosixFilePermissions.fromString("rwx------"));
    ProcessBuilder muster = WritingProcess.java(WritingProcess.class, folder.resolve("home"));
    muster.environment().merge("PATH", folder.toString(), (path, first) -> first + ":" + path);

    Process process = muster.redirectError(ProcessBuilder.Redirect.PIPE).start();
    String error = process.errorReader().readAllAsString();

    assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
    assertThat(error)
        .contains(
            "PostgreSQL refuses to run as root, and this system forbids the user namespace that"
                + " would help (unshare failed: Operation not permitted); run Muster as an ordinary"
                + " user or set DATABASE_URL.");
  }
}
