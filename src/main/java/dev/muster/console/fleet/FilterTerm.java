package dev.muster.console.fleet;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One term of a filter: {@code -key:value,value}, {@code key>value} or bare words.
 *
 * @param key empty for bare words
 * @param operator {@code :}, {@code <} or {@code >}
 * @param values the texts between commas, in lower case and without quotes; never empty texts
 */
record FilterTerm(boolean isNegated, String key, char operator, List<String> values) {

  private static final Pattern KEY = Pattern.compile("^([A-Za-z_]+)([:<>])");

  FilterTerm {
    values = List.copyOf(values);
  }

  /** Splits a query at white space outside quotes; bare terms without a word are left out. */
  static List<FilterTerm> read(String query) {
    return split(query, " \t\r\n", true).stream()
        .map(FilterTerm::of)
        .filter(term -> !term.key.isEmpty() || !term.values.isEmpty())
        .toList();
  }

  private static FilterTerm of(String word) {
    boolean isNegated = word.startsWith("-");
    String term = isNegated ? word.substring(1) : word;
    Matcher key = KEY.matcher(term);
    return key.find()
        ? new FilterTerm(
            isNegated,
            FilterWords.lower(key.group(1)),
            key.group(2).charAt(0),
            values(term.substring(key.end())))
        : new FilterTerm(isNegated, "", ':', values(term));
  }

  private static List<String> values(String text) {
    return split(text, ",", false).stream().map(FilterWords::lower).toList();
  }

  /**
   * Splits at any of the separators outside quotes; a quote that is not closed extends to the end.
   */
  private static List<String> split(String text, String separators, boolean keepsQuotes) {
    List<String> parts = new ArrayList<>();
    StringBuilder part = new StringBuilder();
    boolean isQuoted = false;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      isQuoted ^= c == '"';
      if (!isQuoted && separators.indexOf(c) >= 0) {
        parts.add(part.toString());
        part.setLength(0);
      } else if (c != '"' || keepsQuotes) {
        part.append(c);
      }
    }
    parts.add(part.toString());
    return parts.stream().filter(one -> !one.isEmpty()).toList();
  }

  String word() {
    return key + operator;
  }
}
