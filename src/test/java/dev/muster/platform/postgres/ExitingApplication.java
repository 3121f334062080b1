package dev.muster.platform.postgres;

import java.nio.file.Path;
import org.springframework.boot.SpringApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Leaves by {@code System.exit} in the middle of its start, after the database has started. */
@Configuration(proxyBeanMethods = false)
class ExitingApplication {

  public static void main(String[] arguments) {
    SpringApplication.run(ExitingApplication.class, arguments);
  }

  @Bean
  MusterHome home(org.springframework.boot.ApplicationArguments arguments) {
    return MusterHome.open(Path.of(arguments.getSourceArgs()[0]));
  }

  @Bean
  Object startsAndExits(MusterHome home) {
    EmbeddedDatabase.start(home);
    System.exit(3);
    return new Object();
  }
}
