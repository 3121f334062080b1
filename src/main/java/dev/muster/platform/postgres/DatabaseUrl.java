package dev.muster.platform.postgres;

import static java.util.stream.Collectors.joining;

import dev.muster.platform.settings.StartRefusedException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Translates DATABASE_URL into a JDBC URL, a user and a password.
 *
 * <p>Accepts {@code postgres://user:password@host:port/database?parameters} as libpq and hosting
 * providers write it, {@code postgresql://…} and {@code jdbc:postgresql://…}. Several hosts are
 * separated by commas: the one that takes writes is used, unless a parameter says otherwise
 * (R12.1). User, password, host, port and database may be missing.
 *
 * @param jdbcUrl without the user and the password
 */
record DatabaseUrl(String jdbcUrl, Optional<String> user, Optional<String> password) {

  private static final Pattern FORM =
      Pattern.compile(
          "(?<scheme>jdbc:postgresql|postgresql|postgres)://"
              + "((?<user>[^:@/?]*)(:(?<password>[^@/?]*))?@)?"
              + "(?<hosts>[^@/?]*)(/(?<database>[^@/?]*))?(\\?(?<parameters>.*))?");

  private static final Pattern HOST =
      Pattern.compile("(?<name>\\[[0-9a-fA-F:.]+]|[\\w.-]*)(:(?<port>\\d{1,5}))?");

  private static final Set<String> NOT_AS_PARAMETERS = Set.of("host", "hostaddr", "port", "dbname");

  /** Parameters that the driver names differently from libpq; the others have the same name. */
  private static final Map<String, String> NAMES =
      Map.of(
          "application_name", "ApplicationName",
          "channel_binding", "channelBinding",
          "connect_timeout", "connectTimeout",
          "target_session_attrs", "targetServerType");

  /** Where there are several hosts: those that do not answer cost a second each. */
  private static final Map<String, String> OF_SEVERAL_HOSTS =
      Map.of("targetServerType", "primary", "connectTimeout", "1", "hostRecheckSeconds", "1");

  private static final Map<String, String> VALUES =
      Map.of(
          "targetServerType=read-write", "primary",
          "targetServerType=standby", "secondary",
          "targetServerType=prefer-standby", "preferSecondary");

  /**
   * Parses a setting that is not empty.
   *
   * @throws StartRefusedException if it is malformed; the message quotes nothing of the setting,
   *     which could be a part of its password
   */
  static DatabaseUrl parse(String setting) {
    Matcher form = FORM.matcher(setting.strip());
    if (!form.matches()) {
      throw refused("it does not have this form");
    }
    // A plus is a plus in libpq's form, and a space in the driver's form.
    boolean ofDriver = form.group("scheme").startsWith("jdbc:");
    Map<String, String> login = new HashMap<>();
    List<String> hosts =
        Stream.of(form.group("hosts").split(",", -1)).map(DatabaseUrl::host).toList();
    Map<String, String> parameters =
        parameters(
            part(form, "parameters"),
            ofDriver,
            hosts.size() > 1 ? OF_SEVERAL_HOSTS : Map.of(),
            login);
    String url =
        "jdbc:postgresql://%s/%s%s"
            .formatted(
                String.join(",", hosts),
                plusAs(part(form, "database").orElse(""), ofDriver),
                parameters.isEmpty()
                    ? ""
                    : parameters.entrySet().stream()
                        .map(one -> one.getKey() + "=" + one.getValue())
                        .collect(joining("&", "?", "")));
    return new DatabaseUrl(
        url,
        Optional.ofNullable(login.get("user"))
            .or(() -> part(form, "user").map(user -> decoded(user, false))),
        Optional.ofNullable(login.get("password"))
            .or(() -> part(form, "password").map(password -> decoded(password, false))));
  }

  private static Optional<String> part(Matcher form, String name) {
    return Optional.ofNullable(form.group(name)).filter(part -> !part.isEmpty());
  }

  private static String host(String text) {
    Matcher host = HOST.matcher(text);
    if (!host.matches()) {
      throw refused(
          "its host is not a name, an address or an [IPv6 address], with or without a port");
    }
    String name = host.group("name").isEmpty() ? "localhost" : host.group("name");
    String port = host.group("port");
    if (port == null) {
      return name;
    }
    if (Integer.parseInt(port) < 1 || Integer.parseInt(port) > 65535) {
      throw refused("its port is not in 1..65535");
    }
    return name + ":" + port;
  }

  /** Translates the parameters for the driver, and moves user and password into {@code login}. */
  private static Map<String, String> parameters(
      Optional<String> text,
      boolean ofDriver,
      Map<String, String> defaults,
      Map<String, String> login) {
    Map<String, String> parameters = new TreeMap<>(defaults);
    for (String pair : text.map(t -> t.split("&")).orElse(new String[0])) {
      int equals = pair.indexOf('=');
      if (equals < 1 || NOT_AS_PARAMETERS.contains(pair.substring(0, equals))) {
        throw refused("its parameters are not name=value, or name a host, a port or a database");
      }
      String name = NAMES.getOrDefault(pair.substring(0, equals), pair.substring(0, equals));
      String value = pair.substring(equals + 1);
      if (name.equals("user") || name.equals("password")) {
        login.put(name, decoded(value, ofDriver));
      } else {
        value = VALUES.getOrDefault(name + "=" + value, value);
        parameters.put(name, plusAs(value, ofDriver));
      }
    }
    return parameters;
  }

  private static String decoded(String text, boolean plusIsSpace) {
    try {
      return URLDecoder.decode(plusAs(text, plusIsSpace), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      // No cause: its message would quote a piece of the password.
      throw refused("a % in it is not followed by two hexadecimal digits");
    }
  }

  private static String plusAs(String text, boolean space) {
    return space ? text : text.replace("+", "%2B");
  }

  private static StartRefusedException refused(String reason) {
    return new StartRefusedException(
        "DATABASE_URL is not the address of a PostgreSQL database: %s (expected:".formatted(reason)
            + " postgres://user:password@host:5432/database, with special characters in the user"
            + " and the password percent-encoded).");
  }

  @Override
  public String toString() {
    return jdbcUrl.replaceFirst("\\?.*", ""); // a parameter can be a secret too (sslpassword)
  }
}
