package dev.muster.platform.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;

@ExtendWith(OutputCaptureExtension.class)
class StartRefusedExceptionTest {

  @Test
  void printsTheSentenceAndNoStackTrace(CapturedOutput output) {
    assertThatThrownBy(
            () -> new SpringApplicationBuilder(Refusing.class).web(WebApplicationType.NONE).run())
        .hasRootCauseInstanceOf(StartRefusedException.class);

    assertThat(output)
        .containsPattern("Description:\n\n *The home is full\\.\n")
        .doesNotContain("\tat ");
  }

  static class Refusing {

    @Bean
    Object refuses() {
      throw new StartRefusedException("The home is full.");
    }
  }
}
