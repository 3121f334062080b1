package dev.muster.platform.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.platform.settings.StartRefusedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class MusterHomeTest {

  @Test
  @DisabledOnOs(OS.WINDOWS)
  void isReadableByItsOwnerOnly(@TempDir Path temporary) throws IOException {
    Path folder = temporary.resolve("a/home");
    try (MusterHome home = MusterHome.open(folder)) {
      home.keepSecret("admin-token", "s3cret");

      assertThat(permissions(folder)).isEqualTo("rwx------");
      assertThat(permissions(folder.resolve("admin-token"))).isEqualTo("rw-------");
    }
  }

  private static String permissions(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  @Test
  void keepsSecretsFromOneRunToTheNext(@TempDir Path folder) {
    try (MusterHome home = MusterHome.open(folder)) {
      assertThat(home.secret("admin-token")).isEmpty();
      home.keepSecret("admin-token", "old");
      home.keepSecret("admin-token", "new");
    }
    try (MusterHome home = MusterHome.open(folder)) {
      assertThat(home.secret("admin-token")).contains("new");
    }
  }

  @Test
  void ignoresAnUnfinishedSecretOfAKilledProcess(@TempDir Path folder) throws IOException {
    try (MusterHome home = MusterHome.open(folder)) {
      Files.writeString(folder.resolve("admin-token.unfinished"), "ha");

      assertThat(home.secret("admin-token")).isEmpty();
      home.keepSecret("admin-token", "whole");
      assertThat(home.secret("admin-token")).contains("whole");
    }
  }

  @Test
  void isLockedByOneMusterOfThisProcess(@TempDir Path folder) throws IOException {
    Path otherName = folder.resolve("link");
    try (MusterHome home = MusterHome.open(folder.resolve("home"))) {
      Files.createSymbolicLink(otherName, home.folder());

      assertThatThrownBy(() -> MusterHome.open(otherName))
          .isInstanceOf(StartRefusedException.class)
          .hasMessage(
              "Muster is already running with the home %s; stop it or set MUSTER_HOME to another"
                  + " folder.",
              home.folder());
    }
    MusterHome.open(otherName).close();
  }

  /**
   * A refused open in the process of the lock's owner must not release the lock for other
   * processes.
   */
  @Test
  void staysLockedForOtherProcessesAfterARefusalInThisOne(@TempDir Path folder) throws Exception {
    try (MusterHome home = MusterHome.open(folder)) {
      assertThatThrownBy(() -> MusterHome.open(folder)).isInstanceOf(StartRefusedException.class);

      Process other =
          WritingProcess.java(WritingProcess.class, home.folder())
              .redirectError(ProcessBuilder.Redirect.PIPE)
              .start();
      try {
        assertThat(other.waitFor(20, TimeUnit.SECONDS)).as("refused").isTrue();
        assertThat(other.errorReader().readAllAsString())
            .contains("Muster is already running with the home " + home.folder());
      } finally {
        other.destroyForcibly();
      }
    }
  }

  @Test
  void refusesAFile(@TempDir Path temporary) throws IOException {
    Path file = Files.createFile(temporary.resolve("home"));

    assertThatThrownBy(() -> MusterHome.open(file))
        .isInstanceOf(StartRefusedException.class)
        .hasMessage(
            "The home %s is a file, not a folder; move it away or set MUSTER_HOME to another"
                + " folder.",
            file);
  }

  @Test
  void refusesAFolderThatCannotBeCreated(@TempDir Path temporary) throws IOException {
    Path home = Files.createFile(temporary.resolve("file")).resolve("home");

    assertThatThrownBy(() -> MusterHome.open(home))
        .isInstanceOf(StartRefusedException.class)
        .hasMessageStartingWith("The home " + home + " cannot be created (")
        .hasMessageEndingWith("or set MUSTER_HOME to another folder.");
  }

  /** A folder that even root cannot write to. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void refusesAFolderThatCannotBeWritten() {
    assertThatThrownBy(() -> MusterHome.open(Path.of("/proc/sys")))
        .isInstanceOf(StartRefusedException.class)
        .hasMessageContaining("/proc/sys")
        .hasMessageEndingWith("or set MUSTER_HOME to another folder.");
  }
}
