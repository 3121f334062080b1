package dev.muster.identity;

import dev.muster.platform.postgres.MusterHome;
import java.util.Objects;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/**
 * Tells the person who started the embedded mode where the server is and with what token, at every
 * start (R1.2).
 */
@Component
class StartAnnouncement {

  private final AdminToken token;
  private final ObjectProvider<MusterHome> home;
  private final Environment environment;

  StartAnnouncement(AdminToken token, ObjectProvider<MusterHome> home, Environment environment) {
    this.token = token;
    this.home = home;
    this.environment = environment;
  }

  /**
   * On standard output and not in the log: the token is for the person at the terminal, not for log
   * collectors.
   */
  @EventListener(ApplicationReadyEvent.class)
  void announce(ApplicationReadyEvent ready) {
    MusterHome embedded = home.getIfAvailable();
    if (embedded == null
        || !(ready.getApplicationContext() instanceof WebServerApplicationContext web)) {
      return;
    }
    String host = environment.getProperty("server.address", "127.0.0.1");
    System.out.printf(
        "%nMuster is ready:  http://%s:%d%nAdmin token:      %s%nData:             %s%n%n",
        host,
        Objects.requireNonNull(web.getWebServer()).getPort(),
        token.shown().map(Secret::text).orElse("the value of ADMIN_TOKEN"),
        embedded.folder());
  }
}
