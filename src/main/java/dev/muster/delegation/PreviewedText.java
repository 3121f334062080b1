package dev.muster.delegation;

import dev.muster.platform.text.Text;
import org.jspecify.annotations.Nullable;

/**
 * A text of any length with a preview of at most 4096 bytes.
 *
 * @param overflow the whole text; null if the preview is the whole text
 */
record PreviewedText(String preview, @Nullable String overflow) {

  private static final int PREVIEW_BYTES = 4096;

  static PreviewedText of(String text) {
    String clean = Text.clean(text);
    String preview = Text.cutBytes(clean, PREVIEW_BYTES);
    return new PreviewedText(preview, preview.length() == clean.length() ? null : clean);
  }

  /** Creates a text with a preview by its author. */
  static PreviewedText of(String text, String preview) {
    String clean = Text.clean(text);
    String cut = Text.cutBytes(Text.clean(preview), PREVIEW_BYTES);
    return new PreviewedText(cut, cut.equals(clean) ? null : clean);
  }

  String fullText() {
    return overflow == null ? preview : overflow;
  }
}
