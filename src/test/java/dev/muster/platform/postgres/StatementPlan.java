package dev.muster.platform.postgres;

import java.util.Set;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The plan of a statement, and what a run of it read.
 *
 * @param cost pages and rows, as PostgreSQL weighs them: a row is a hundredth of a page
 * @param readWhole the tables that it reads whole, by their aliases
 * @param unreached those of them that the run did not need
 */
record StatementPlan(double cost, Set<String> readWhole, Set<String> unreached, String text) {

  private static final JsonMapper JSON = JsonMapper.shared();

  /** The smallest cost that is worth a comparison. */
  private static final int FEW_PAGES = 50;

  /** Reads the output of {@code EXPLAIN (FORMAT JSON)}, which has run the statement or not. */
  static StatementPlan of(String explained) {
    JsonNode top = JSON.readTree(explained).path(0).path("Plan");
    Set<String> readWhole = new TreeSet<>();
    Set<String> unreached = new TreeSet<>();
    StringBuilder text = new StringBuilder();
    double rows = read(top, readWhole, unreached, text, "\n  ");
    long pages = top.path("Shared Hit Blocks").asLong(0) + top.path("Shared Read Blocks").asLong(0);
    return new StatementPlan(pages + rows / 100, readWhole, unreached, text.toString());
  }

  /** Returns the rows of the node and those below it. */
  private static double read(
      JsonNode node,
      Set<String> readWhole,
      Set<String> unreached,
      StringBuilder text,
      String indent) {
    double loops = node.path("Actual Loops").asDouble(0);
    double rows =
        loops
            * (number(node, "Actual Rows")
                + number(node, "Rows Removed by Filter")
                + number(node, "Rows Removed by Join Filter")
                + number(node, "Rows Removed by Index Recheck"));
    String kind = node.path("Node Type").asString();
    String described =
        kind
            + optional(node, " ", "Alias")
            + optional(node, " by ", "Index Name")
            + (node.has("Index Cond") ? " with a condition" : "");
    text.append(indent)
        .append(described)
        .append(" (")
        .append(Math.round(rows))
        .append(" rows, ")
        .append(Math.round(loops))
        .append(" times)");
    if (node.has("Relation Name")
        && (kind.equals("Seq Scan") || (kind.startsWith("Index") && !node.has("Index Cond")))) {
      String alias = node.path("Alias").asString();
      readWhole.add(alias);
      if (loops == 0) {
        unreached.add(alias);
      }
    }
    // a bitmap lists places, which are in its pages
    double all = kind.equals("Bitmap Index Scan") ? 0 : rows;
    for (JsonNode child : node.path("Plans")) {
      all += read(child, readWhole, unreached, text, indent + "  ");
    }
    return all;
  }

  private static double number(JsonNode node, String name) {
    return node.path(name).asDouble(0);
  }

  private static String optional(JsonNode node, String before, String name) {
    return node.has(name) ? before + node.path(name).asString() : "";
  }

  /** The same plan, of a run that was cancelled. */
  StatementPlan withoutAnEnd() {
    return new StatementPlan(Double.POSITIVE_INFINITY, readWhole, unreached, text);
  }

  /** Whether it costs much more than a plan that was made for the tables as they are. */
  boolean isMuchMoreThan(StatementPlan fresh) {
    return cost > 10 * fresh.cost + FEW_PAGES;
  }

  /** What it would read whole with other values, and the other plan would not. */
  Set<String> unprovenBeside(StatementPlan fresh) {
    Set<String> unproven = new TreeSet<>(unreached);
    unproven.removeAll(fresh.readWhole);
    return unproven;
  }
}
