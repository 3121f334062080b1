package dev.muster.console.bulk;

import dev.muster.console.fleet.FleetTargets.Wanted;
import dev.muster.platform.http.EnumParameter;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.Ids;
import dev.muster.platform.text.JsonBody;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A request to change many workspaces.
 *
 * @param filter the filter that finds them; null when their ids are given
 * @param expected the number of targets in the preview that the person saw; empty in the request
 *     for a preview
 */
record BulkRequest(
    BulkAction action,
    @Nullable String filter,
    Wanted wanted,
    Optional<String> text,
    Optional<String> note,
    Optional<Integer> expected) {

  static final int MAX_TARGETS = 250_000;
  static final int MAX_IDS = 100_000;

  private static final int MAX_FILTER = 2000;
  private static final int MAX_TEXT = 10_000;
  private static final int MAX_REASON = 500;

  static BulkRequest read(JsonBody body) {
    BulkAction action =
        EnumParameter.read(
                "action",
                body.requiredText("action", MAX_REASON),
                BulkAction.values(),
                BulkAction::wire)
            .orElseThrow();
    Optional<String> filter = body.text("filter", MAX_FILTER);
    Optional<List<UUID>> ids =
        body.texts("ids", MAX_IDS + 1, MAX_REASON)
            .map(texts -> texts.stream().map(Ids::parse).distinct().toList());
    if (filter.isPresent() == ids.isPresent()) {
      throw ProblemException.validation(
          "filter, ids: "
              + (filter.isPresent() ? "both are given" : "both are missing")
              + " (expected: one of them; \"\" is the filter of the whole fleet)");
    }
    if (ids.isPresent() && ids.get().size() > MAX_IDS) {
      throw ProblemException.validation("ids: too many (expected: at most " + MAX_IDS + ")");
    }
    return new BulkRequest(
        action,
        filter.orElse(null),
        new Wanted(filter.orElse(""), ids.orElse(null), body.flag("cascade").orElse(false)),
        text(action, body),
        body.text("note", MAX_REASON).filter(note -> !note.isBlank()),
        body.integer("expect_count", 0, Integer.MAX_VALUE));
  }

  private static Optional<String> text(BulkAction action, JsonBody body) {
    Optional<String> reason = body.text("text", MAX_REASON).filter(text -> !text.isBlank());
    return switch (action) {
      case MESSAGE -> {
        String text = body.requiredText("text", MAX_TEXT + 1);
        if (text.codePointCount(0, text.length()) > MAX_TEXT) {
          throw ProblemException.validation(
              "text: too long (expected: at most " + MAX_TEXT + " characters)");
        }
        yield Optional.of(text);
      }
      case RESTART -> reason;
      case PAUSE, RESUME, REMOVE -> Optional.empty();
    };
  }
}
