package dev.muster;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The control plane that keeps the roll-call of AI-agent workspaces. */
@SpringBootApplication
public class MusterApplication {

  public static void main(String[] args) {
    SpringApplication.run(MusterApplication.class, args);
  }
}
