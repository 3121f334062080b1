package dev.muster.workspace;

import dev.muster.identity.AccessChecks;
import dev.muster.identity.AuditTrail;
import dev.muster.identity.Caller;
import dev.muster.identity.RouteAccess;
import dev.muster.identity.RouteAccess.CallerKind;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.JsonBody;
import java.util.Map;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RestController;

/** Stores the one viewport that all canvases share; viewers may only read it. */
@RestController
class CanvasViewportController {

  /**
   * The centre and scale of the canvas.
   *
   * @param x in the units of a workspace's {@code x} and {@code y}
   * @param y as {@code x}
   * @param zoom a factor from 0.001 to 1,000; 1 is the normal size
   */
  record Viewport(double x, double y, double zoom) {

    static final Viewport UNMOVED = new Viewport(0, 0, 1);

    private static final double MIN_ZOOM = 0.001;
    private static final double MAX_ZOOM = 1_000;

    static Viewport read(JsonBody body) {
      return new Viewport(
          required(
              "x", body.number("x", -NewWorkspace.MAX_COORDINATE, NewWorkspace.MAX_COORDINATE)),
          required(
              "y", body.number("y", -NewWorkspace.MAX_COORDINATE, NewWorkspace.MAX_COORDINATE)),
          required("zoom", body.number("zoom", MIN_ZOOM, MAX_ZOOM)));
    }

    private static double required(String name, Optional<Double> value) {
      return value.orElseThrow(
          () -> ProblemException.validation(name + " is missing (expected: a number)"));
    }
  }

  private static final String FIND = "SELECT x, y, zoom FROM canvas_viewport";

  private static final String STORE =
      """
      INSERT INTO canvas_viewport (x, y, zoom) VALUES (:x, :y, :zoom)
      ON CONFLICT (only_row) DO UPDATE SET x = excluded.x, y = excluded.y, zoom = excluded.zoom
      """;

  private final JdbcClient db;
  private final AuditTrail audit;

  CanvasViewportController(JdbcClient db, AuditTrail audit) {
    this.db = db;
    this.audit = audit;
  }

  @GetMapping("/canvas/viewport")
  @RouteAccess(CallerKind.VIEWER)
  Viewport read(Caller caller) {
    AccessChecks.requireReader(caller);
    return db.sql(FIND)
        .query(
            (row, n) -> new Viewport(row.getDouble("x"), row.getDouble("y"), row.getDouble("zoom")))
        .optional()
        .orElse(Viewport.UNMOVED);
  }

  /** Replaces the viewport; the last write wins. */
  @PutMapping("/canvas/viewport")
  Map<String, String> store(Caller caller, JsonBody body) {
    Viewport viewport = Viewport.read(body);
    AccessChecks.requireAdmin(caller);
    audit.change(() ->
        db.sql(STORE)
            .param("x", viewport.x())
            .param("y", viewport.y())
            .param("zoom", viewport.zoom())
            .update());
    return Map.of("status", "updated");
  }
}
