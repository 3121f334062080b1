package dev.muster.identity;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SecretTest {

  /** One in 64 would, and then {@code --token VALUE} is an error. */
  @Test
  void neverBeginsLikeAnOption() {
    assertThat(Stream.generate(Secret::random).limit(2_000).map(Secret::text))
        .allMatch(text -> text.matches("[A-Za-z0-9_][A-Za-z0-9_-]{42}"));
  }
}
