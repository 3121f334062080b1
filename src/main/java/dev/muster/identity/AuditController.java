package dev.muster.identity;

import dev.muster.platform.http.EnumParameter;
import dev.muster.platform.http.ListResponses;
import dev.muster.platform.http.PageLimit;
import dev.muster.platform.http.TimeParameter;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.Text;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Function;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Lists the audit for the admin and operators (R1.7). */
@RestController
class AuditController {

  private static final int MAX_TEXT = 300;

  /** The outcome of a recorded action. */
  enum Outcome {
    DONE("done"),
    REFUSED("refused");

    private final String wire;

    Outcome(String wire) {
      this.wire = wire;
    }

    String wire() {
      return wire;
    }
  }

  /**
   * The rows to list.
   *
   * @param who a part of the name; "" for all
   * @param action a part of the method and route; "" for all
   * @param target one of the targets, exactly; "" for any
   * @param after rows at this time or later
   * @param before rows before this time
   */
  record Filter(
      String who,
      String action,
      String target,
      Optional<Outcome> outcome,
      Optional<Instant> after,
      Optional<Instant> before) {}

  private final AuditRepository audit;
  private final ListResponses lists;

  AuditController(AuditRepository audit, ListResponses lists) {
    this.audit = audit;
    this.lists = lists;
  }

  /**
   * Writes a page, newest first. A page of a filtered list may be short and still have a next page.
   */
  @GetMapping("/admin/audit")
  void list(
      Caller caller,
      @RequestParam(defaultValue = "") String who,
      @RequestParam(defaultValue = "") String action,
      @RequestParam(defaultValue = "") String target,
      @RequestParam(defaultValue = "") String outcome,
      @RequestParam(defaultValue = "") String after,
      @RequestParam(defaultValue = "") String before,
      HttpServletRequest request,
      HttpServletResponse response)
      throws IOException {
    int limit = PageLimit.of(request).orElse(PageLimit.DEFAULT);
    Filter filter =
        new Filter(
            text("who", who),
            text("action", action),
            text("target", target),
            EnumParameter.read("outcome", outcome, Outcome.values(), Outcome::wire),
            TimeParameter.read("after", after),
            TimeParameter.read("before", before));
    AccessChecks.requireAdmin(caller);
    lists.writePage(
        request,
        response,
        limit,
        (place, most) -> audit.page(filter, place, most),
        Function.identity());
  }

  private static String text(String name, String value) {
    if (value.length() > MAX_TEXT) {
      throw ProblemException.validation(
          name + ": " + value.length() + " characters (expected: at most " + MAX_TEXT + ")");
    }
    return Text.clean(value);
  }
}
