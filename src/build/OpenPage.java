import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Opens a page in Chromium and waits until it shows a text. Ends with 1 when that takes too long,
 * and says what the page shows instead.
 *
 * <p>Usage: {@code java OpenPage.java CHROMIUM URL TEXT SECONDS PROFILE}, where the last is a new
 * folder of the browser.
 */
public final class OpenPage {

  private static final Pattern DEVTOOLS = Pattern.compile("listening on ws://([^/]+)/");
  private static final Pattern PAGE =
      Pattern.compile(
          "\"type\": \"page\",.*?\"webSocketDebuggerUrl\": \"([^\"]+)\"", Pattern.DOTALL);

  /** With the texts in shadow trees, which are most of them. */
  private static final String TEXT =
      """
      (function text(node) {
        return node.nodeType == 3 ? node.data
          : node.matches?.('script, style, noscript') ? ''
          : [...(node.shadowRoot?.childNodes ?? []), ...node.childNodes].map(text).join(' ');
      })(document.body).replace(/[^!-~]+/g, ' ')\
      """;

  private static final String SHOWN =
      "{\"id\":1,\"method\":\"Runtime.evaluate\",\"params\":{\"expression\":\"%s\"}}"
          .formatted(TEXT.replace("\n", " "));

  private OpenPage() {}

  public static void main(String[] arguments) throws Exception {
    Duration limit = Duration.ofSeconds(Long.parseLong(arguments[3]));
    Process browser =
        new ProcessBuilder(
                arguments[0],
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--remote-debugging-port=0",
                "--user-data-dir=" + arguments[4],
                arguments[1])
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    // A browser that says nothing ends too, and with it every wait for it.
    CompletableFuture.delayedExecutor(limit.plusSeconds(10).toSeconds(), TimeUnit.SECONDS)
        .execute(() -> end(browser));
    String shown;
    try {
      shown = await(browser, arguments[2], limit);
    } finally {
      end(browser);
    }
    if (!shown.contains(arguments[2])) {
      System.err.println("the page does not show \"" + arguments[2] + "\", but: " + shown);
      System.exit(1);
    }
  }

  /** What is on the PATH may be a script that starts the browser. */
  private static void end(Process browser) {
    List<ProcessHandle> all =
        Stream.concat(browser.descendants(), Stream.of(browser.toHandle())).toList();
    all.forEach(ProcessHandle::destroy);
    all.forEach(one -> one.onExit().join());
  }

  /** Returns the last answer about the text of the page. */
  private static String await(Process browser, String text, Duration limit) throws Exception {
    long end = System.nanoTime() + limit.toNanos();
    HttpClient http = HttpClient.newHttpClient();
    BlockingQueue<String> answers = new LinkedBlockingQueue<>();
    String shown = "";
    WebSocket page =
        http.newWebSocketBuilder()
            .buildAsync(URI.create(pageOf(browser, http)), new Answers(answers))
            .get();
    while (!shown.contains(text) && System.nanoTime() < end) {
      page.sendText(SHOWN, true).get();
      String answer = answers.poll(5, TimeUnit.SECONDS);
      shown = answer == null ? "nothing; the browser does not answer" : answer;
      Thread.sleep(100);
    }
    page.abort();
    return shown;
  }

  private static String pageOf(Process browser, HttpClient http) throws Exception {
    BufferedReader said =
        new BufferedReader(new InputStreamReader(browser.getErrorStream(), StandardCharsets.UTF_8));
    for (String line = said.readLine(); line != null; line = said.readLine()) {
      Matcher devtools = DEVTOOLS.matcher(line);
      if (devtools.find()) {
        URI list = URI.create("http://" + devtools.group(1) + "/json/list");
        Matcher page =
            PAGE.matcher(
                http.send(HttpRequest.newBuilder(list).build(), BodyHandlers.ofString()).body());
        if (page.find()) {
          return page.group(1);
        }
      }
    }
    throw new IOException("the browser has ended, or has no page");
  }

  /** Collects whole messages. */
  private static final class Answers implements WebSocket.Listener {

    private final BlockingQueue<String> answers;
    private final StringBuilder parts = new StringBuilder();

    Answers(BlockingQueue<String> answers) {
      this.answers = answers;
    }

    @Override
    public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
      parts.append(data);
      if (last) {
        answers.add(parts.toString());
        parts.setLength(0);
      }
      socket.request(1);
      return null;
    }
  }
}
