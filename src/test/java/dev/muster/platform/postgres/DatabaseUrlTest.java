package dev.muster.platform.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.platform.settings.StartRefusedException;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.Driver;

class DatabaseUrlTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          # setting                                   | driver's URL                             | user | password
          postgres://ann:pw@db.example:5433/muster    | jdbc:postgresql://db.example:5433/muster | ann  | pw
          postgresql://ann:pw@db/muster               | jdbc:postgresql://db/muster              | ann  | pw
          jdbc:postgresql://db/muster?user=ann&password=pw | jdbc:postgresql://db/muster         | ann  | pw
          jdbc:postgresql://ann:pw@db/muster          | jdbc:postgresql://db/muster              | ann  | pw
          postgres://db/muster                        | jdbc:postgresql://db/muster              |      |
          postgres://ann@db/muster                    | jdbc:postgresql://db/muster              | ann  |
          postgres://:@db:1/muster                    | jdbc:postgresql://db:1/muster            |      |
          postgres://db:65535/muster?a=b              | jdbc:postgresql://db:65535/muster?a=b    |      |
          postgres://ann:pw@db                        | jdbc:postgresql://db/                    | ann  | pw
          postgres://ann:pw@/muster                   | jdbc:postgresql://localhost/muster       | ann  | pw
          postgres:///muster                          | jdbc:postgresql://localhost/muster       |      |
          postgres://db?sslmode=require               | jdbc:postgresql://db/?sslmode=require    |      |
          postgres://[2001:db8::7]:5433/muster        | jdbc:postgresql://[2001:db8::7]:5433/muster |   |
          postgres://h1:5432,h2:5433,h3/muster?sslmode=verify-full | jdbc:postgresql://h1:5432,h2:5433,h3/muster?connectTimeout=1&hostRecheckSeconds=1&sslmode=verify-full&targetServerType=primary | |
          postgres://a%40b:p%3A%2F%3F%25%20w@db/m     | jdbc:postgresql://db/m                   | a@b  | p:/?% w
          postgres://ann:p+w@db/a+b?user=x+y          | jdbc:postgresql://db/a%2Bb               | x+y  | p+w
          jdbc:postgresql://db/m?user=ann&password=p+w | jdbc:postgresql://db/m                  | ann  | p w
          postgres://h1,h2/m?target_session_attrs=read-write&application_name=x | jdbc:postgresql://h1,h2/m?ApplicationName=x&connectTimeout=1&hostRecheckSeconds=1&targetServerType=primary | |
          postgres://h1,h2/m?target_session_attrs=any&connect_timeout=7 | jdbc:postgresql://h1,h2/m?connectTimeout=7&hostRecheckSeconds=1&targetServerType=any | |
          jdbc:postgresql://h1,h2/m?targetServerType=primary&user=ann&ssl=true | jdbc:postgresql://h1,h2/m?connectTimeout=1&hostRecheckSeconds=1&ssl=true&targetServerType=primary | ann |
          """)
  void reads(String setting, String jdbcUrl, @Nullable String user, @Nullable String password) {
    DatabaseUrl url = DatabaseUrl.parse("  " + setting + "\n");

    assertThat(url.jdbcUrl()).isEqualTo(jdbcUrl);
    assertThat(url.user().orElse(null)).isEqualTo(user);
    assertThat(url.password().orElse(null)).isEqualTo(password);
    assertThat(Driver.parseURL(jdbcUrl, new Properties())).isNotNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "mysql://ann:hunter2@db/m",
        "hunter2",
        "postgres:hunter2",
        "jdbc:postgresql:hunter2",
        "jdbc:postgres://ann:hunter2@db/m",
        "postgres://ann:hunter2/@db/m",
        "postgres://ann:hunter2?@db/m",
        "postgres://ann:hunter2@more@db/m",
        "postgres://ann:hunter2",
        "postgres://ann:hunter2%zz@db/m",
        "postgres://ann:hunter2@db:port/m",
        "postgres://ann:hunter2@db:0/m",
        "postgres://ann:hunter2@db:65536/m",
        "postgres://ann:hunter2@::1/m",
        "postgres://ann:hunter2@%2Frun%2Fpostgresql/m",
        "postgres:///m?host=/run&password=hunter2",
        "postgres://db/m?hunter2"
      })
  void refusesOtherUrlsWithoutThePassword(String setting) {
    assertThatThrownBy(() -> DatabaseUrl.parse(setting))
        .isInstanceOf(StartRefusedException.class)
        .hasMessageStartingWith("DATABASE_URL is not the address of a PostgreSQL database: ")
        .hasMessageNotContaining("hunter2")
        .hasNoCause();
  }

  @Test
  void printsNoSecret() {
    assertThat(DatabaseUrl.parse("postgres://ann:hunter2@db/m?sslpassword=hunter3"))
        .hasToString("jdbc:postgresql://db/m");
  }
}
