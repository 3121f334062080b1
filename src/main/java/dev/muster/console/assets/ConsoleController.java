package dev.muster.console.assets;

import dev.muster.console.assets.ConsoleAssets.Asset;
import dev.muster.identity.RateLimitGroup;
import dev.muster.identity.RateLimitGroup.RateLimitBucket;
import dev.muster.identity.RouteAccess;
import dev.muster.identity.RouteAccess.CallerKind;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.regex.Pattern;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/**
 * Serves the console's page and files to every caller. They contain no data of the server; the page
 * asks for a credential.
 */
@RestController
class ConsoleController {

  private static final String FOR_A_YEAR = "public, max-age=31536000, immutable";

  /** Matches an {@code Accept-Encoding} that admits gzip (RFC 9110, section 12.5.3). */
  private static final Pattern GZIP =
      Pattern.compile("(?i)(^|.*,)\\s*gzip\\s*(;\\s*q=(1(\\.0*)?|0\\.0*[1-9]\\d*)\\s*)?(,.*|$)");

  /** Matches the urls of the fleet, which are those of its first page. */
  private static final Pattern FLEET = Pattern.compile("/(ui(/(fleet)?)?)?");

  private final ConsoleAssets assets;

  ConsoleController(ConsoleAssets assets) {
    this.assets = assets;
  }

  /**
   * Responds to every url of the console with the same page, whose script reads the url. Only what
   * it preloads differs.
   */
  @GetMapping({"/", "/ui/{*place}"})
  @RouteAccess(CallerKind.PUBLIC)
  @RateLimitGroup(RateLimitBucket.NONE)
  ResponseEntity<byte[]> page(HttpServletRequest request) {
    ResponseEntity.BodyBuilder response =
        ResponseEntity.ok()
            .header(HttpHeaders.CACHE_CONTROL, "no-store")
            .header("Content-Security-Policy", assets.policy());
    boolean isFleet = FLEET.matcher(request.getRequestURI()).matches();
    return send(isFleet ? assets.fleet() : assets.page(), request, response);
  }

  /**
   * Returns a file. A url with another hash belongs to another version of the server and gets a
   * 404.
   */
  @GetMapping("/assets/{hash}/{*path}")
  @RouteAccess(CallerKind.PUBLIC)
  @RateLimitGroup(RateLimitBucket.NONE)
  ResponseEntity<byte[]> file(
      HttpServletRequest request, @PathVariable String hash, @PathVariable String path) {
    Asset asset =
        assets
            .find(path.replaceFirst("^/", ""))
            .filter(_ -> hash.equals(assets.hash()))
            .orElseThrow(() ->
                new ProblemException(
                    ErrorCode.NOT_FOUND,
                    "this version of the console has no such file; load its page again"));
    return send(asset, request, ResponseEntity.ok().header(HttpHeaders.CACHE_CONTROL, FOR_A_YEAR));
  }

  private static ResponseEntity<byte[]> send(
      Asset asset, HttpServletRequest request, ResponseEntity.BodyBuilder response) {
    response.contentType(asset.type()).header(HttpHeaders.VARY, HttpHeaders.ACCEPT_ENCODING);
    boolean gzip =
        Collections.list(request.getHeaders(HttpHeaders.ACCEPT_ENCODING)).stream()
            .anyMatch(line -> GZIP.matcher(line).matches());
    return gzip
        ? response.header(HttpHeaders.CONTENT_ENCODING, "gzip").body(asset.gzipped())
        : response.body(asset.plain());
  }
}
