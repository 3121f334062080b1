package dev.muster.delegation;

import dev.muster.platform.text.Text;
import org.jspecify.annotations.Nullable;

/**
 * A text of any length, with its first 4,096 bytes for lists.
 *
 * @param overflow the whole text, where the preview is not all of it
 */
record PreviewedText(String preview, @Nullable String overflow) {

  private static final int PREVIEW_BYTES = 4096;

  static PreviewedText of(String text) {
    String clean = Text.clean(text);
    String preview = Text.cutBytes(clean, PREVIEW_BYTES);
    return new PreviewedText(preview, preview.length() == clean.length() ? null : clean);
  }

  /** With a preview that its author wrote. */
  static PreviewedText of(String text, String preview) {
    String clean = Text.clean(text);
    String cut = Text.cutBytes(Text.clean(preview), PREVIEW_BYTES);
    return new PreviewedText(cut, cut.equals(clean) ? null : clean);
  }

  String fullText() {
    return overflow == null ? preview : overflow;
  }
}
