package dev.muster.platform.http;

import java.beans.PropertyEditorSupport;
import org.springframework.web.bind.WebDataBinder;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.InitBinder;

/**
 * Reads the flags of queries as they are described: {@code true}, {@code false}, and nothing, which
 * is as if absent. Spring's own editor takes {@code on}, {@code yes}, {@code 1} and any case too.
 */
@ControllerAdvice
final class StrictFlags {

  @InitBinder
  void bind(WebDataBinder binder) {
    binder.registerCustomEditor(boolean.class, new Flag());
  }

  private static final class Flag extends PropertyEditorSupport {

    /** Of a parameter that is there twice the first counts. */
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
