package dev.muster;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Finds the names at the places of a statement where PostgreSQL expects a table: after {@code
 * FROM}, {@code JOIN}, {@code INTO}, {@code UPDATE}, {@code USING} and {@code TABLE}, and after a
 * comma between these. Columns of the same name are at other places.
 */
final class SqlTables {

  /**
   * A name, which may also be that of a common table expression.
   *
   * @param isOnlyRead whether it is neither written nor locked
   */
  record Named(String table, boolean isOnlyRead) {}

  private static final Pattern TOKEN =
      Pattern.compile(
          "--[^\\n]*|/\\*.*?\\*/|'(?:[^']|'')*'|\"([^\"]+)\"|([A-Za-z_]\\w*)|[^\\s]",
          Pattern.DOTALL);

  private static final Set<String> ENDS_LIST =
      Set.of(
          "select",
          "where",
          "group",
          "order",
          "having",
          "window",
          "limit",
          "set",
          "returning",
          "values",
          "union",
          "except",
          "intersect",
          "for");

  private static final Set<String> NO_ALIAS =
      Set.of(
          "on", "using", "join", "left", "right", "inner", "full", "cross", "natural", "as",
          "default", "do");

  /** What is known inside one pair of parentheses. */
  private static final class Level {
    boolean inList;
    boolean expectsTable;
    boolean writes;

    /** The names by which a lock clause can mean the tables of the list. */
    final List<List<String>> namesOfTables = new ArrayList<>();

    Level(boolean inList) {
      this.inList = inList;
      this.expectsTable = inList;
    }
  }

  private final List<String> tokens;
  private final List<Named> found = new ArrayList<>();
  private final Deque<Level> levels = new ArrayDeque<>(List.of(new Level(false)));

  private SqlTables(String sql) {
    this.tokens =
        TOKEN
            .matcher(sql)
            .results()
            .filter(token -> !token.group().startsWith("--") && !token.group().startsWith("/*"))
            .map(SqlTables::normal)
            .toList();
  }

  private static String normal(MatchResult token) {
    return token.group(1) != null ? token.group(1) : token.group().toLowerCase(Locale.ROOT);
  }

  static List<Named> in(String sql) {
    SqlTables reader = new SqlTables(sql);
    int at = 0;
    while (at < reader.tokens.size()) {
      at = reader.read(at);
    }
    return reader.found;
  }

  /** Reads one token, or one name; returns the place of the next. */
  private int read(int at) {
    Level level = levels.peek();
    String token = tokens.get(at);
    switch (token) {
      case "(" -> {
        levels.push(new Level(level.expectsTable));
        level.expectsTable = false;
      }
      case ")" -> {
        if (levels.size() > 1) {
          levels.pop();
        }
      }
      case "," -> level.expectsTable = level.inList;
      case "from", "join", "using", "into", "update", "table", "truncate" -> expect(level, at);
      case "for" -> {
        begin(level, false);
        readLock(level, at + 1);
      }
      case "only", "lateral" -> {}
      default -> {
        if (ENDS_LIST.contains(token)) {
          begin(level, false);
        } else if (level.expectsTable && Character.isLetter(token.charAt(0))) {
          return readTable(level, at);
        } else {
          level.expectsTable = false;
        }
      }
    }
    return at + 1;
  }

  private static void begin(Level level, boolean list) {
    level.inList = list;
    level.expectsTable = list;
  }

  private void expect(Level level, int at) {
    String before = at == 0 ? "" : tokens.get(at - 1);
    boolean isOther =
        switch (tokens.get(at)) {
          case "from" -> before.equals("distinct");
          case "update" -> Set.of("do", "for", "key").contains(before);
          default -> false;
        };
    if (!isOther) {
      begin(level, true);
      level.writes =
          switch (tokens.get(at)) {
            case "into", "update", "table", "truncate" -> true;
            case "from" -> before.equals("delete");
            default -> false;
          };
    }
  }

  private int readTable(Level level, int at) {
    int last = at;
    while (last + 2 < tokens.size() && tokens.get(last + 1).equals(".")) {
      last += 2;
    }
    String table = tokens.get(last);
    found.add(new Named(table, !level.writes));
    int next = last + 1;
    if (next < tokens.size() && tokens.get(next).equals("as")) {
      next++;
    }
    boolean hasAlias =
        next < tokens.size()
            && Character.isLetter(tokens.get(next).charAt(0))
            && !NO_ALIAS.contains(tokens.get(next))
            && !ENDS_LIST.contains(tokens.get(next));
    level.namesOfTables.add(List.of(hasAlias ? tokens.get(next) : table, table));
    level.expectsTable = false;
    level.writes = false;
    return last + 1;
  }

  /** A lock clause without OF locks all tables of its level. */
  private void readLock(Level level, int at) {
    int next = at;
    while (next < tokens.size() && Set.of("no", "key").contains(tokens.get(next))) {
      next++;
    }
    if (next == tokens.size() || !Set.of("update", "share").contains(tokens.get(next))) {
      return;
    }
    Set<String> locked = new HashSet<>();
    boolean isLimited = next + 1 < tokens.size() && tokens.get(next + 1).equals("of");
    for (int i = next + 2; isLimited && i < tokens.size(); i++) {
      if (Set.of("skip", "nowait", ")").contains(tokens.get(i))) {
        break;
      }
      locked.add(tokens.get(i));
    }
    for (List<String> names : level.namesOfTables) {
      if (!isLimited || locked.contains(names.getFirst())) {
        found.add(new Named(names.getLast(), false));
      }
    }
  }
}
