package dev.muster.platform.http;

import java.beans.PropertyEditorSupport;
import org.springframework.web.bind.WebDataBinder;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.InitBinder;

/**
 * Reads query flags strictly: {@code true}, {@code false}, or empty, which counts as absent.
 *
 * <p>Spring's editor also accepts {@code on}, {@code yes}, {@code 1} and any case.
 */
@ControllerAdvice
final class StrictFlags {

  @InitBinder
  void bind(WebDataBinder binder) {
    binder.registerCustomEditor(boolean.class, new Flag());
  }

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
}
