package dev.muster.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Page;
import dev.muster.testing.TestServer;
import java.awt.image.BufferedImage;
import java.awt.image.DataBuffer;
import java.awt.image.IndexColorModel;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Makes the pictures of the documentation; {@code src/build/screenshots} runs it. */
@InBrowser
@EnabledIfSystemProperty(named = "screenshots", matches = ".+", disabledReason = "makes pictures")
class ScreenshotsTest {

  private static final Path FOLDER = Path.of(System.getProperty("screenshots", "target/images"));
  private static final String ONLY = System.getProperty("screenshots.only", "");

  /** So long after all is there, lists have their order and nothing fades any more. */
  private static final int SETTLED_MS = 1500;

  /** Such a part of a picture may differ from the one before; more is to be looked at. */
  private static final double LIKE_BEFORE = 0.005;

  /** The square of a distance between two colours that nobody sees. */
  private static final int ALIKE = 100;

  /**
   * One picture.
   *
   * @param path the address, in which {@code {wedged}} stands for that workspace's id
   * @param shown selects what is there when the page is complete
   */
  private record View(
      String name, Tab.Look look, int width, int height, String path, String shown) {}

  private static View wide(String name, Tab.Look look, String path, String shown) {
    return new View(name, look, 1280, 800, path, shown);
  }

  private static final List<View> VIEWS =
      List.of(
          wide("fleet-table", Tab.Look.LIGHT, "/ui/fleet", ".causes li"),
          wide("fleet-tree", Tab.Look.DARK, "/ui/fleet?view=tree&group=parent", "[role=treegrid]"),
          wide("fleet-map", Tab.Look.DARK, "/ui/fleet?view=map", ".map-space canvas"),
          new View("fleet-phone", Tab.Look.LIGHT, 390, 844, "/ui/fleet", ".causes li"),
          wide("workspace", Tab.Look.LIGHT, "/ui/w/{wedged}", ".why-box"),
          wide("timeline", Tab.Look.DARK, "/ui/w/{wedged}?tab=timeline", "main li"),
          wide("chat", Tab.Look.LIGHT, "/ui/w/{wedged}?tab=chat", "textarea"),
          wide("delegations", Tab.Look.LIGHT, "/ui/delegations", "tbody tr"),
          wide("trace", Tab.Look.DARK, "/ui/trace/{delegation}", "main a"),
          wide("queue", Tab.Look.LIGHT, "/ui/queue", "tbody tr"),
          wide("runs", Tab.Look.DARK, "/ui/runs", "tbody tr"),
          wide("operations", Tab.Look.LIGHT, "/ui/ops", "main dl, main table"),
          wide("welcome", Tab.Look.LIGHT, "/ui/welcome", "main form"));

  @Test
  void makesThePictures(Tab tab) throws IOException {
    try (TestServer server = TestServer.start("AGENT_URL_ALLOW=loopback")) {
      PicturedFleet fleet = new PicturedFleet(server);
      String origin = server.client().baseUrl();
      tab.signIn(origin, TestServer.ADMIN_TOKEN, "/ui/fleet");
      for (View view : VIEWS) {
        if (view.name().startsWith(ONLY)) {
          take(tab, origin, fleet, view);
        }
      }
      tab.leave();
    }
  }

  private static void take(Tab tab, String origin, PicturedFleet fleet, View view)
      throws IOException {
    Page page = tab.looks(view.look()).page();
    page.setViewportSize(view.width(), view.height());
    String path =
        view.path()
            .replace("{wedged}", fleet.wedged.id().toString())
            .replace("{delegation}", fleet.delegation);
    tab.go(origin, path);
    assertThat(page.locator("#connection")).containsText("Live");
    assertThat(page.locator(view.shown()).first()).isVisible();
    page.waitForTimeout(SETTLED_MS);
    byte[] png = page.screenshot();
    File file = FOLDER.resolve(view.name() + ".png").toFile();
    BufferedImage before = file.exists() ? ImageIO.read(file) : null;
    BufferedImage now = withFewColours(ImageIO.read(new ByteArrayInputStream(png)));
    ImageIO.write(now, "png", file);
    double difference = before == null ? 1 : difference(pixels(before), pixels(now));
    if (difference > LIKE_BEFORE) {
      System.out.printf("Look at %s: %.1f %% of it is new.%n", file, 100 * difference);
    }
  }

  /**
   * The same with 256 of its colours: a third of the size, and as clear. It takes the most frequent
   * ones of which none is like another: the shades of a text would leave no place for the colour of
   * a small mark.
   */
  private static BufferedImage withFewColours(BufferedImage image) {
    Map<Integer, Integer> counts = new HashMap<>();
    for (int pixel : pixels(image)) {
      counts.merge(pixel, 1, Integer::sum);
    }
    List<Integer> byNumber = new ArrayList<>(counts.keySet());
    byNumber.sort(Comparator.<Integer>comparingInt(counts::get).reversed());
    List<Integer> taken = new ArrayList<>();
    for (int colour : byNumber) {
      if (taken.size() < 256 && taken.stream().noneMatch(one -> distance(one, colour) < ALIKE)) {
        taken.add(colour);
      }
    }
    int[] palette = taken.stream().mapToInt(Integer::intValue).toArray();
    IndexColorModel colours =
        new IndexColorModel(8, palette.length, palette, 0, false, -1, DataBuffer.TYPE_BYTE);
    Map<Integer, Integer> nearest = new HashMap<>();
    BufferedImage few =
        new BufferedImage(
            image.getWidth(), image.getHeight(), BufferedImage.TYPE_BYTE_INDEXED, colours);
    for (int y = 0; y < image.getHeight(); y++) {
      for (int x = 0; x < image.getWidth(); x++) {
        int index = nearest.computeIfAbsent(image.getRGB(x, y), one -> nearest(palette, one));
        few.getRaster().setSample(x, y, 0, index);
      }
    }
    return few;
  }

  private static int nearest(int[] palette, int colour) {
    return IntStream.range(0, palette.length)
        .boxed()
        .min(Comparator.comparingInt(i -> distance(palette[i], colour)))
        .orElseThrow();
  }

  private static int distance(int a, int b) {
    int red = ((a >> 16) & 255) - ((b >> 16) & 255);
    int green = ((a >> 8) & 255) - ((b >> 8) & 255);
    int blue = (a & 255) - (b & 255);
    return red * red + green * green + blue * blue;
  }

  private static int[] pixels(BufferedImage image) {
    return image.getRGB(0, 0, image.getWidth(), image.getHeight(), null, 0, image.getWidth());
  }

  private static double difference(int[] before, int[] after) {
    if (before.length != after.length) {
      return 1;
    }
    long different = IntStream.range(0, before.length).filter(i -> before[i] != after[i]).count();
    return (double) different / before.length;
  }
}
