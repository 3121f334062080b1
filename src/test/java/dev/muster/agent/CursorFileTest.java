package dev.muster.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.agent.CursorFile.Place;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The cursor that an agent keeps for its next start. */
class CursorFileTest {

  @TempDir Path folder;

  private Place read(String text) throws IOException {
    Path file = folder.resolve("cursor");
    Files.writeString(file, text);
    return new CursorFile(file).load();
  }

  @Test
  void restoresTheStoredCursor() {
    CursorFile file = new CursorFile(folder.resolve("cursor"));
    assertThat(file.load()).isEqualTo(Place.START);

    file.save(new Place("row-1", List.of("m-1", "m-2")));
    assertThat(new CursorFile(folder.resolve("cursor")).load())
        .isEqualTo(new Place("row-1", List.of("m-1", "m-2")));

    file.save(new Place(null, List.of("m-3")));
    assertThat(file.load()).isEqualTo(new Place(null, List.of("m-3")));
  }

  @Test
  void keepsNothingWithoutAFile() {
    CursorFile memory = new CursorFile(null);

    memory.save(new Place("row-1", List.of()));

    assertThat(memory.load()).isEqualTo(Place.START);
  }

  @Test
  void readsABareId() throws IOException {
    String longest = "x".repeat(200);
    assertThat(read(" 0193e3a0-0000-7000-8000-0000000000ff\n"))
        .isEqualTo(new Place("0193e3a0-0000-7000-8000-0000000000ff", List.of()));
    assertThat(read(longest)).isEqualTo(new Place(longest, List.of()));
    assertThat(read("42")).isEqualTo(new Place("42", List.of()));
    assertThat(read("{\"cursor\":\"c\",\"seen\":7}")).isEqualTo(new Place("c", List.of()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "two words", "é", "{}", "{\"cursor\":\"\"}"})
  void startsAgainAfterAMalformedCursor(String text) throws IOException {
    assertThat(read(text)).isEqualTo(Place.START);
    assertThat(read("x".repeat(201))).isEqualTo(Place.START);
  }

  @Test
  void startsAgainWhenUnreadableAndContinuesWhenUnwritable() throws IOException {
    Path noFile = Files.createDirectory(folder.resolve("folder"));
    CursorFile file = new CursorFile(noFile);

    file.save(new Place("row-1", List.of()));

    assertThat(file.load()).isEqualTo(Place.START);
  }
}
