package dev.muster.attack;

import java.util.List;

/** Hostile values for requests, one a line. */
final class HostileValues {

  /** JSON values. */
  static final List<String> JSON =
      """
      null
      true
      false
      0
      -0
      -1
      1e400
      -1e400
      1e-400
      1E99999999999
      1.5
      2147483648
      -2147483649
      9223372036854775808
      18446744073709551616
      NaN
      Infinity
      01
      ""
      " "
      "\\u0000"
      "a\\u0000b"
      "\\ud800"
      "\\udc00\\ud800"
      "\\ud83d"
      "\uFEFF"
      "\\uffff"
      "1e400"
      "NaN"
      "null"
      "[]"
      "'; DROP TABLE workspaces; --"
      "%s%n%00"
      "../../etc/passwd"
      "\\n\\r\\t"
      "2026-13-45T99:99:99Z"
      "+1000000000-01-01T00:00:00Z"
      "http://127.0.0.1:9/a2a"
      "http://[::1]:9/"
      "http://127.0.0.1:99999/"
      "file:///etc/passwd"
      "remote:x"
      "push"
      "poll"
      "wedged"
      "message/send"
      "message/stream"
      "tasks/get"
      []
      {}
      [[]]
      [null]
      [{}]
      {"":""}
      {"a":{"b":{"c":1e400}}}
      {"a":1,"a":2}
      [1,"a",null,{}]
      """
          .lines()
          .toList();

  /** Long numbers and deep nesting. */
  static final List<String> LONG_JSON =
      List.of(
          "9".repeat(999),
          "-" + "9".repeat(999),
          "0." + "1".repeat(999),
          "\"" + "a".repeat(100_000) + "\"",
          "[".repeat(900) + "]".repeat(900),
          "[" + "0,".repeat(20_000) + "0]");

  /** Values that are tried in every place. */
  static final List<String> PROBES =
      List.of(
          "1e400", "9".repeat(999), "-1.5", "\"\\ud800\"", "\"a\\u0000b\"", "[{}]", "{\"a\":null}");

  /** Texts for paths and queries. */
  static final List<String> TEXTS =
      """
      %20
      %00
      a%00b
      %ff
      %c0%af
      %ed%a0%80
      %
      %zz
      ..
      %2e%2e
      %2f
      %5c
      ;a=b
      null
      -1
      0
      1
      5
      1e400
      NaN
      Infinity
      1.5
      true
      2026-01-01T00:00:00Z
      %2B1000000000-01-01T00:00:00Z
      -999999999-01-01T00:00:00Z
      00000000-0000-0000-0000-000000000000
      {id}
      %7Bid%7D
      '
      %22
      <script>
      %F0%9F%98%80
      desc
      asc
      a2a_receive
      stuck
      in_flight
      online
      peer_info,notify,self
      """
          .lines()
          .toList();

  /** Values for any header. */
  static final List<String> HEADER_VALUES =
      """
      \u00ff\u00fe
      -1
      1e400
      NaN
      Infinity
      0
      null
      */*;q=zz
      text/html
      application/xml
      application/json; charset=utf-7
      application/json; charset=no-such
      multipart/form-data
      application/x-www-form-urlencoded
      ;
      bytes=0-
      http://evil.invalid
      gzip
      Basic YTpi
      Bearer
      Bearer \u00e9
      "
      W/"x"
      a,b,,c
      """
          .lines()
          .toList();

  /** Header names that a server or a proxy may interpret. */
  static final List<String> HEADERS =
      """
      Accept
      Accept-Language
      Accept-Encoding
      Accept-Charset
      Content-Type
      Content-Encoding
      Origin
      Referer
      Range
      If-None-Match
      If-Modified-Since
      Cookie
      Forwarded
      X-Forwarded-Host
      X-Forwarded-Proto
      X-Forwarded-For
      X-Forwarded-Prefix
      X-Workspace-ID
      X-Source-Workspace-Id
      X-Timeout
      X-Confirm-Name
      Last-Event-ID
      X-HTTP-Method-Override
      A2A-Version
      A2A-Extensions
      Sec-Fetch-Site
      Sec-WebSocket-Protocol
      Upgrade
      TE
      Access-Control-Request-Method
      Authorization
      """
          .lines()
          .toList();

  /** Texts for paths, queries and headers. */
  static final List<String> LONG_TEXTS = List.of("", " ", "9".repeat(999), "a".repeat(3000));

  /** Methods, most of which no operation has. */
  static final List<String> METHODS =
      List.of(
          "GET",
          "HEAD",
          "POST",
          "PUT",
          "PATCH",
          "DELETE",
          "OPTIONS",
          "TRACE",
          "PROPFIND",
          "get",
          "X");

  /** Header lines that make the end of the request ambiguous, or the request invalid. */
  static final List<String> FRAMINGS =
      List.of(
          "Transfer-Encoding: chunked\r\nContent-Length: 5",
          "Content-Length: -1",
          "Content-Length: 5\r\nContent-Length: 6",
          "Content-Length: 99999999999999999999",
          "Content-Length: 1e400",
          "Transfer-Encoding: chunked, identity",
          "Transfer-Encoding: xchunked",
          "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
          "Host: evil.invalid\r\nHost: localhost",
          "Host: [",
          "Header without a colon",
          "X-Folded: a\r\n b",
          "X-Nul: a\u0000b",
          ": no name",
          "X-Long: " + "a".repeat(20_000),
          "Expect: 100-continue",
          "Expect: 200-ok",
          "Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__",
          "Upgrade: websocket\r\nSec-WebSocket-Version: 99\r\nSec-WebSocket-Key: x");

  private HostileValues() {}
}
