package dev.muster.platform.embedded;

import java.nio.file.Path;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Bean;

/**
 * Calls {@code System.exit} during its start, after the database has started. It has no annotation,
 * so that no scan for beans finds it.
 */
class ExitingApplication {

  public static void main(String[] arguments) {
    new SpringApplicationBuilder(ExitingApplication.class)
        .web(WebApplicationType.NONE)
        .run(arguments);
  }

  @Bean
  MusterHome home(ApplicationArguments arguments) {
    return MusterHome.open(Path.of(arguments.getSourceArgs()[0]));
  }

  @Bean
  Object startsAndExits(MusterHome home) {
    EmbeddedDatabase.start(home);
    System.exit(3);
    return new Object();
  }
}
