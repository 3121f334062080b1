package dev.muster.platform.http;

import dev.muster.platform.text.Ids;
import java.beans.PropertyEditorSupport;
import java.util.UUID;
import org.springframework.web.bind.WebDataBinder;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.InitBinder;

/**
 * Parses flags and ids in paths and queries strictly (R0.3).
 *
 * <p>These are editors, because with a converter Spring falls back to a lenient editor.
 */
@ControllerAdvice
final class StrictParameters {

  @InitBinder
  void bind(WebDataBinder binder) {
    binder.registerCustomEditor(boolean.class, new Flag());
    binder.registerCustomEditor(UUID.class, new Id());
  }

  /**
   * Accepts {@code true}, {@code false}, or empty, which counts as absent. Spring's editor also
   * accepts {@code on}, {@code yes}, {@code 1} and any case.
   */
  private static final class Flag extends PropertyEditorSupport {

    /** Uses the first value of a repeated parameter. */
    @Override
    public void setValue(Object value) {
      if (value instanceof String[] texts) {
        setAsText(texts[0]);
      } else {
        super.setValue(value);
      }
    }

    @Override
    public void setAsText(String text) {
      super.setValue(
          switch (text) {
            case "true" -> true;
            case "false", "" -> false;
            default -> throw new IllegalArgumentException("not a flag");
          });
    }
  }

  private static final class Id extends PropertyEditorSupport {

    @Override
    public void setAsText(String text) {
      setValue(Ids.parse(text));
    }
  }
}
