package dev.muster.testing;

import dev.muster.MusterApplication;
import org.springframework.boot.SpringApplication;

/** The server with {@link FastPace}, for {@link ServerProcess}. */
public final class PacedServer {

  private PacedServer() {}

  public static void main(String[] args) {
    new SpringApplication(MusterApplication.class, FastPace.class).run(args);
  }
}
