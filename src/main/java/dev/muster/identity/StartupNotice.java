package dev.muster.identity;

import dev.muster.platform.log.LogFormat;
import dev.muster.platform.postgres.MusterHome;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/** Shows the server's address and admin token at every start of the embedded mode (R1.2). */
@Component
class StartupNotice {

  private static final Logger log = LoggerFactory.getLogger(StartupNotice.class);
  private static final String OF_OPERATOR = "the value of ADMIN_TOKEN";

  private final AdminToken token;
  private final ObjectProvider<MusterHome> home;
  private final Environment environment;

  StartupNotice(AdminToken token, ObjectProvider<MusterHome> home, Environment environment) {
    this.token = token;
    this.home = home;
    this.environment = environment;
  }

  /**
   * Prints to standard output, because a log would keep the token. With {@code LOG_FORMAT=json} it
   * logs only the path of the token's file.
   */
  @EventListener(ApplicationReadyEvent.class)
  void announce(ApplicationReadyEvent ready) {
    MusterHome embedded = home.getIfAvailable();
    if (embedded == null
        || !(ready.getApplicationContext() instanceof WebServerApplicationContext web)) {
      return;
    }
    String host = environment.getProperty("server.address", "127.0.0.1");
    String url = "http://" + host + ":" + Objects.requireNonNull(web.getWebServer()).getPort();
    if (LogFormat.isStructured(environment)) {
      log.info(
          "Muster is ready: {}; the admin token is {}; the data is in {}",
          url,
          token.shown().map(_ -> "in " + embedded.secretFile(AdminToken.FILE)).orElse(OF_OPERATOR),
          embedded.folder());
    } else {
      System.out.printf(
          "%nMuster is ready:  %s%nAdmin token:      %s%nData:             %s%n%n",
          url, token.shown().map(Secret::text).orElse(OF_OPERATOR), embedded.folder());
    }
  }
}
