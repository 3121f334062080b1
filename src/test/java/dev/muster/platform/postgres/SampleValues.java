package dev.muster.platform.postgres;

import java.sql.Connection;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PGobject;

/**
 * Values for the parameters of any statement, by their names and types, with which it finds rows of
 * {@code filled-tables.sql}.
 */
final class SampleValues {

  private static final Pattern PARAMETER = Pattern.compile("(?<![:\\w]):([a-z_]\\w*)|\\?");

  /** A table of parameters with the names of its columns. */
  private static final Pattern COLUMNS =
      Pattern.compile(
          "unnest\\(([?:\\w\\[\\],\\s]+)\\)\\s+(?:WITH ORDINALITY\\s+)?AS \\w+ \\(([\\w,\\s]+)\\)");

  private static final String ID = "00000000-0000-4000-8000-000000000007";

  @SuppressWarnings("TimeInStaticInitializer") // much less than an hour passes until it is used
  private static final String AN_HOUR_AGO = Instant.now().minus(Duration.ofHours(1)).toString();

  private static final String LARGEST = Long.toString(Long.MAX_VALUE);
  private static final String HASH = "\\x8f14e45fceea167a5a36dedd4bea2543";

  private static final Map<String, String> OF_TYPES =
      Map.ofEntries(
          Map.entry("bool", "f"),
          Map.entry("bytea", HASH),
          Map.entry("float8", "3600"),
          Map.entry("int4", "7"),
          Map.entry("int8", "7"),
          Map.entry("json", "7"),
          Map.entry("numeric", "7"),
          Map.entry("text", "7"),
          Map.entry("timestamptz", "now"),
          Map.entry("uuid", ID),
          Map.entry("_bool", "{f,f,f}"),
          Map.entry("_bytea", "{\"\\" + HASH + "\",NULL,NULL}"),
          Map.entry("_float8", "{0,0,0}"),
          Map.entry("_int4", "{7,8,9}"),
          Map.entry("_int8", "{7,8,9}"),
          Map.entry("_text", "{7,8,9}"),
          Map.entry("_timestamptz", "{now,now,now}"),
          Map.entry("_uuid", "{%s,%s,%s}".formatted(ID, id(8), id(9))));

  /** Types that the server gives, where the statement alone does not determine them. */
  private static final Map<String, String> NUMBERS =
      Map.ofEntries(
          Map.entry("changes", "int4"),
          Map.entry("examined", "int4"),
          Map.entry("limit", "int4"),
          Map.entry("messages", "int4"),
          Map.entry("most", "int4"));

  private static final Map<String, String> NUMBERS_AND_TIMES =
      Map.ofEntries(
          Map.entry("acked_before", "timestamptz"),
          Map.entry("after", "int8"),
          Map.entry("after_delivered", "int8"),
          Map.entry("all_before", "timestamptz"),
          Map.entry("collected", "timestamptz"),
          Map.entry("examined", "int4"),
          Map.entry("from", "timestamptz"),
          Map.entry("limit", "int4"),
          Map.entry("minute", "timestamptz"),
          Map.entry("most", "int4"),
          Map.entry("reported_before", "timestamptz"),
          Map.entry("reported_long_before", "timestamptz"),
          Map.entry("settled", "timestamptz"),
          Map.entry("to", "timestamptz"));

  /** Filters that are not asked for. */
  private static final Set<String> NULL =
      Set.of(
          "is",
          "kind text",
          "mode",
          "only",
          "parent _uuid",
          "peers",
          "q",
          "reason _text",
          "runtime _text",
          "self",
          "sender",
          "status _text",
          "task uuid",
          "tier _int4",
          "type");

  private static final Set<String> EMPTY =
      Set.of(
          "error _text",
          "heartbeat_after",
          "heartbeat_before",
          "name _text",
          "role _text",
          "since_after",
          "since_before",
          "task _text",
          "words");

  /** By name, or by name and type. */
  private static final Map<String, String> OF_NAMES =
      Map.ofEntries(
          Map.entry("action text", ""),
          Map.entry("after_time", "2000-01-01"),
          Map.entry("age_ms", "0"),
          Map.entry("at", AN_HOUR_AGO),
          Map.entry("before int8", LARGEST),
          Map.entry("body_hash text", "00"),
          Map.entry("branch_terms", "{1,2}"),
          Map.entry("branches", "{agent 7,agent 70}"),
          Map.entry("bytes", "1000000"),
          Map.entry("class", "{c,c,c}"),
          Map.entry("classes", "{c,p,s}"),
          Map.entry("examined", "100"),
          Map.entry("expected _text", "{online,online,online}"),
          Map.entry("from timestamptz", AN_HOUR_AGO),
          Map.entry("grace_is_over", "t"),
          Map.entry("high", LARGEST),
          Map.entry("inside_of", "{1}"),
          Map.entry("kind _text", "{message,message,message}"),
          Map.entry("known_tree", "{1,1,1}"),
          Map.entry("known_version", "{1,1,1}"),
          Map.entry("largest", "100000"),
          Map.entry("last_heartbeat_since", AN_HOUR_AGO),
          Map.entry("last_seq int8", "50000"),
          Map.entry("limit", "20"),
          Map.entry("low", "1"),
          Map.entry("max_bytes", "1000000"),
          Map.entry("max_of_a_stream", "100"),
          Map.entry("max_rows", "100"),
          Map.entry("minutes", "0"),
          Map.entry("most", "20"),
          Map.entry("name text", "viewer"),
          Map.entry("of_a_side", "100"),
          Map.entry("of_a_task", "100"),
          Map.entry("other", id(8)),
          Map.entry("outcome text", "done"),
          Map.entry("outside_of", "{2}"),
          Map.entry("owner", id(1)),
          Map.entry("owner _uuid", "{%1$s,%1$s,%1$s}".formatted(id(1))),
          Map.entry("peer", id(8)),
          Map.entry("queued", "t"),
          Map.entry("reason", "error_rate"),
          Map.entry("role text", "viewer"),
          Map.entry("scanned", "1000"),
          Map.entry("since _text", "{now,now,now}"),
          Map.entry("since timestamptz", AN_HOUR_AGO),
          Map.entry("source", "{peer_agent,peer_agent,peer_agent}"),
          Map.entry("state text", "delivered"),
          Map.entry("status text", "failed"),
          Map.entry("target text", ""),
          Map.entry("targets _text", "{\"{}\",\"{}\",\"{}\"}"),
          Map.entry("up_since", AN_HOUR_AGO),
          Map.entry("up_to int8", LARGEST),
          Map.entry("asked", "{WAIT,QUEUE,QUEUE}"),
          Map.entry("which", "all"),
          Map.entry("who text", ""),
          Map.entry("with_branches", "t"),
          Map.entry("without_delivered", "t"),
          Map.entry("without_own", "t"));

  private SampleValues() {}

  private static String id(int number) {
    return ID.replaceFirst("7$", Integer.toString(number));
  }

  /** Returns the statement with question marks for its parameters, as the driver takes it. */
  static String positional(String sql) {
    return PARAMETER.matcher(sql).replaceAll("?");
  }

  /** Returns the names of the parameters; empty where a parameter has none. */
  static List<String> names(String sql) {
    List<String> names = new ArrayList<>();
    Matcher parameters = PARAMETER.matcher(sql);
    List<MatchResult> tables = COLUMNS.matcher(sql).results().toList();
    while (parameters.find()) {
      int at = parameters.start();
      names.add(
          parameters.group(1) != null
              ? parameters.group(1)
              : tables.stream()
                  .filter(table -> table.start(1) <= at && at < table.end(1))
                  .map(table -> column(table, sql.substring(table.start(1), at)))
                  .findFirst()
                  .orElse(""));
    }
    return names;
  }

  private static String column(MatchResult table, String before) {
    int place = (int) before.chars().filter(c -> c == '?').count();
    return table.group(2).split(",", -1)[place].strip();
  }

  /**
   * Returns values for the parameters of a statement, with the types that PostgreSQL finds.
   *
   * @throws SQLException if it is no statement
   */
  static List<PGobject> of(Connection connection, String sql) throws SQLException {
    for (Map<String, String> given : List.of(Map.<String, String>of(), NUMBERS)) {
      try {
        return of(connection, sql, given);
      } catch (SQLException e) {
        // with more types
      }
    }
    return of(connection, sql, NUMBERS_AND_TIMES);
  }

  private static List<PGobject> of(Connection connection, String sql, Map<String, String> types)
      throws SQLException {
    List<String> names = names(sql);
    List<PGobject> values = new ArrayList<>();
    try (PreparedStatement statement = connection.prepareStatement(positional(sql))) {
      for (int i = 0; i < names.size(); i++) {
        @Nullable String type = types.get(names.get(i));
        if (type != null) {
          statement.setObject(i + 1, value(names.get(i), type));
        }
      }
      ParameterMetaData parameters = statement.getParameterMetaData();
      for (int i = 0; i < names.size(); i++) {
        values.add(value(names.get(i), parameters.getParameterTypeName(i + 1)));
      }
    }
    return values;
  }

  private static PGobject value(String name, String type) throws SQLException {
    PGobject value = new PGobject();
    value.setType(type);
    value.setValue(text(name, type));
    return value;
  }

  private static @Nullable String text(String name, String type) {
    String both = name + " " + type;
    if (NULL.contains(name) || NULL.contains(both)) {
      return null;
    }
    if (EMPTY.contains(name) || EMPTY.contains(both) || name.startsWith("not_")) {
      return "{}";
    }
    @Nullable String value =
        OF_NAMES.getOrDefault(both, OF_NAMES.getOrDefault(name, OF_TYPES.get(type)));
    if (value == null) {
      throw new AssertionError(
          "no value for :%s of the type %s: add one to SampleValues".formatted(name, type));
    }
    return value;
  }
}
